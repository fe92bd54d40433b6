import HotData
import JSONRPC

/// Finds the tokens of progress, in the two dialects that are known on both sides.
struct ProgressTokenReader {
  private let hash: KeyedHash
  private var unescaped: [UInt8] = []

  /// - Parameter seed: random, so that nobody outside can choose tokens that collide.
  init(seed: UInt64) { hash = KeyedHash(seed: seed) }

  /// The token in a report of progress; nil for any other notification.
  mutating func reported(_ envelope: Envelope, in bytes: Span<UInt8>) -> UInt64? {
    Self.reportedMember(envelope, in: bytes).flatMap { token($0, in: bytes) }
  }

  /// The same as it stands there.
  static func reportedMember(_ envelope: Envelope, in bytes: Span<UInt8>) -> Member? {
    let isMCP = JSONString.equals(envelope.method, in: bytes, "notifications/progress")
    guard isMCP || JSONString.equals(envelope.method, in: bytes, "$/progress"), !envelope.params.isEmpty
    else { return nil }
    return member(isMCP ? "progressToken" : "token", of: envelope.params, in: bytes)
  }

  /// The token that an upstream makes by itself (LSP 3.17, "Server initiated progress"); nil for any other request.
  mutating func created(_ envelope: Envelope, in bytes: Span<UInt8>) -> UInt64? {
    guard JSONString.equals(envelope.method, in: bytes, "window/workDoneProgress/create"),
      !envelope.params.isEmpty
    else { return nil }
    return Self.member("token", of: envelope.params, in: bytes).flatMap { token($0, in: bytes) }
  }

  /// The tokens that a request asks for progress by, the first of each name.
  mutating func asked(_ params: ByteRange, in bytes: Span<UInt8>) -> AskedTokens {
    var asked = AskedTokens()
    Self.forEachToken(in: params, of: bytes) { name, member in
      switch name {
      case .workDone: asked.workDone = asked.workDone ?? token(member, in: bytes)
      case .partialResult: asked.partialResult = asked.partialResult ?? token(member, in: bytes)
      case .meta: asked.meta = asked.meta ?? token(member, in: bytes)
      }
    }
    return asked
  }

  /// Goes through what stands under the names of tokens, in its order, be it one or not.
  static func forEachToken<Failure: Error>(
    in params: ByteRange, of bytes: Span<UInt8>,
    _ body: (PassedTokens.Name, Member) throws(Failure) -> Void
  ) throws(Failure) {
    guard !params.isEmpty else { return }
    var members = ObjectReader(params)
    while let member = members.next(in: bytes) {
      if member.isNamed("workDoneToken", in: bytes) {
        try body(.workDone, member)
      } else if member.isNamed("partialResultToken", in: bytes) {
        try body(.partialResult, member)
      } else if member.kind == .object, member.isNamed("_meta", in: bytes) {
        var inner = ObjectReader(member.value)
        while let member = inner.next(in: bytes) {
          if member.isNamed("progressToken", in: bytes) { try body(.meta, member) }
        }
      }
    }
  }

  private static func member(
    _ name: StaticString, of object: ByteRange, in bytes: Span<UInt8>
  ) -> Member? {
    var members = ObjectReader(object)
    while let member = members.next(in: bytes) { if member.isNamed(name, in: bytes) { return member } }
    return nil
  }

  private mutating func token(_ member: Member, in bytes: Span<UInt8>) -> UInt64? {
    switch member.kind {
    case .number: return hash.hash(0, bytes.extracting(member.value.range))
    case .string:
      unescaped.removeAll(keepingCapacity: unescaped.capacity <= Self.keptBytes)
      _ = JSONString.unescape(member.value, in: bytes, into: &unescaped)
      return hash.hash(1, unescaped.span)
    default: return nil
    }
  }

  private static let keptBytes = 1024
}
