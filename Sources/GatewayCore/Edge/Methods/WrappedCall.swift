import JSONRPC

/// The request inside a `lastword.call`, for clients whose library cannot add members to an envelope.
enum WrappedCall {
  /// The envelope as if the request had come by itself, with the id of the one around it.
  /// - Parameter methodBytes: how long its method may be.
  static func unwrap(
    _ outer: Envelope, in bytes: Span<UInt8>, methodBytes: Int
  ) throws(RPCError) -> Envelope {
    guard outer.task.isEmpty else { throw .invalidParams("lastword.call: task belongs into params") }
    guard !outer.params.isEmpty, bytes[Int(outer.params.lower)] == UInt8(ascii: "{") else {
      throw .invalidParams("lastword.call: params must be an object")
    }
    var inner = Envelope()
    inner.id = outer.id
    inner.isNotification = outer.isNotification
    inner.isFreeOfLineBreaks = outer.isFreeOfLineBreaks
    var members = ObjectReader(outer.params)
    while let member = members.next(in: bytes) {
      try read(member, in: bytes, methodBytes: methodBytes, into: &inner)
    }
    if !inner.params.isEmpty, bytes[Int(inner.params.lower)] == UInt8(ascii: "n") { inner.params = .none }
    guard !inner.method.isEmpty else { throw .invalidParams("lastword.call: method is missing") }
    guard !JSONString.equals(inner.method, in: bytes, "lastword.call") else {
      throw .invalidParams("lastword.call: it cannot be nested")
    }
    return inner
  }

  private static func read(
    _ member: Member, in bytes: Span<UInt8>, methodBytes: Int, into inner: inout Envelope
  ) throws(RPCError) {
    if member.isNamed("method", in: bytes) {
      try requireFirst(inner.method, "method")
      inner.method = try method(member, limitBytes: methodBytes)
      inner.methodHasEscapes = JSONString.hasEscapes(member.value, in: bytes)
    } else if member.isNamed("params", in: bytes) {
      try requireFirst(inner.params, "params")
      inner.params = try params(member)
    } else if member.isNamed("task", in: bytes) {
      try requireFirst(inner.task, "task")
      guard member.kind == .object else { throw .invalidParams("task must be an object") }
      inner.task = member.value
    } else {
      throw .invalidParams("lastword.call: unknown member '\(member.nameText(in: bytes))'")
    }
  }

  private static func requireFirst(_ range: ByteRange, _ name: String) throws(RPCError) {
    guard range.isEmpty else { throw .invalidParams("lastword.call: \(name) occurs twice") }
  }

  private static func method(_ member: Member, limitBytes: Int) throws(RPCError) -> ByteRange {
    guard member.kind == .string else { throw .invalidParams("lastword.call: method must be a string") }
    let quotes = 2
    guard member.value.count - quotes <= limitBytes else {
      throw .invalidParams("lastword.call: method is longer than \(limitBytes) bytes")
    }
    return member.value
  }

  /// Null counts as absent, but as a member that has occurred.
  private static func params(_ member: Member) throws(RPCError) -> ByteRange {
    switch member.kind {
    case .object, .array, .null: member.value
    default: throw .invalidParams("lastword.call: params must be an array or an object")
    }
  }
}
