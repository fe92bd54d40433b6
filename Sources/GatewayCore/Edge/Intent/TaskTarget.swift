import JSONRPC

/// What `lastword.cancel` or `lastword.inspect` is about.
enum TaskTarget {
  /// The newest open request of this connection with this id.
  case id(ByteRange)
  case key(Label, TaskIntent.Scope?)
  /// Every open request in the group.
  case group(Label, GroupScope)

  /// The clients whose requests a group means.
  enum GroupScope {
    /// This connection's.
    case connection
    /// Those of all connections of its principal.
    case principal
  }
}

/// Reads the params of our own methods; anything in them that is not understood is an error that names it.
struct TaskTargetReader {
  private(set) var keys: LabelReader
  private(set) var groups: LabelReader

  init(_ configuration: GatewayConfiguration) {
    keys = LabelReader(limitBytes: configuration.keyBytes)
    groups = LabelReader(limitBytes: configuration.groupBytes)
  }

  /// - Parameter keyOnly: ids and groups are no targets of this method.
  mutating func read(
    _ params: ByteRange, keyOnly: Bool, in bytes: Span<UInt8>
  ) throws(RPCError) -> TaskTarget {
    guard !params.isEmpty, bytes[Int(params.lower)] == UInt8(ascii: "{") else {
      throw .invalidParams(Self.usage(keyOnly: keyOnly))
    }
    var target: TaskTarget?
    var scope: Member?
    var members = ObjectReader(params)
    while let member = members.next(in: bytes) {
      if member.isNamed("scope", in: bytes), scope == nil {
        scope = member
        continue
      }
      guard target == nil else { throw .invalidParams(Self.usage(keyOnly: keyOnly)) }
      target = try read(member, keyOnly: keyOnly, in: bytes)
    }
    switch (target, scope) {
    case (.none, _): throw .invalidParams(Self.usage(keyOnly: keyOnly))
    case (.key(let key, _), let scope?):
      return .key(key, try TaskIntent.Scope(scope, called: "scope", in: bytes))
    case (.group(let group, _), let scope?):
      return .group(group, try TaskTarget.GroupScope(scope, in: bytes))
    case (_, .some): throw .invalidParams("scope goes with key and group only")
    case (let target?, .none): return target
    }
  }

  private mutating func read(
    _ member: Member, keyOnly: Bool, in bytes: Span<UInt8>
  ) throws(RPCError) -> TaskTarget {
    if member.isNamed("key", in: bytes) {
      return .key(try keys.read(member, called: "key", in: bytes), nil)
    }
    if !keyOnly && member.isNamed("group", in: bytes) {
      return .group(try groups.read(member, called: "group", in: bytes), .connection)
    }
    if !keyOnly && member.isNamed("id", in: bytes) { return .id(member.value) }
    throw .invalidParams("unknown member '\(member.nameText(in: bytes))'")
  }

  private static func usage(keyOnly: Bool) -> String {
    keyOnly
      ? "give a \"key\"; \"scope\" may go with it"
      : "give exactly one of \"id\", \"key\" and \"group\"; \"scope\" may go with \"key\" or \"group\""
  }
}

extension TaskIntent.Scope {
  init(_ member: Member, called name: String, in bytes: Span<UInt8>) throws(RPCError) {
    if member.kind == .string, JSONString.equals(member.value, in: bytes, "shared") {
      self = .shared
    } else if member.kind == .string, JSONString.equals(member.value, in: bytes, "connection") {
      self = .connection
    } else {
      throw .invalidParams("\(name) must be \"shared\" or \"connection\"")
    }
  }
}

extension TaskTarget.GroupScope {
  fileprivate init(_ member: Member, in bytes: Span<UInt8>) throws(RPCError) {
    if member.kind == .string, JSONString.equals(member.value, in: bytes, "principal") {
      self = .principal
    } else if member.kind == .string, JSONString.equals(member.value, in: bytes, "connection") {
      self = .connection
    } else {
      throw .invalidParams("scope must be \"connection\" or \"principal\" beside a group")
    }
  }
}

extension Member {
  /// At most 64 bytes of its name, for an error message.
  func nameText(in bytes: Span<UInt8>) -> String { Self.text(name, in: bytes) }

  /// At most 64 bytes of what a client sent, for an error message.
  static func text(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
    var copy: [UInt8] = []
    copy.append(bytes, range.range.prefix(64))
    return String(decoding: copy, as: UTF8.self)
  }
}
