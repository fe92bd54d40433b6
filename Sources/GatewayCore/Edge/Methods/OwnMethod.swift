import JSONRPC

/// Whether a request is for the gateway itself, and what it asks.
package enum OwnMethod {
  /// Not ours: it goes upstream.
  case foreign
  case call
  case ping
  case cancelRequest
  case cancel
  case inspect
  case discover
  case authenticate
  /// Under one of our prefixes, and nothing we know.
  case unknown

  /// The names we answer to.
  package static let names: [(name: StaticString, method: OwnMethod)] = [
    ("lastword.call", .call), ("lastword.authenticate", .authenticate), ("lastword.cancel", .cancel),
    ("lastword.inspect", .inspect), ("lastword.ping", .ping), ("$/cancelRequest", .cancelRequest),
    ("rpc.discover", .discover),
  ]

  @inline(__always)
  init(_ envelope: Envelope, in bytes: Span<UInt8>) {
    let mayBeOurs = envelope.methodHasEscapes || Self.beginsAsOurs(envelope.method, in: bytes)
    self = mayBeOurs ? Self.named(envelope.method, in: bytes) : .foreign
  }

  @inline(__always)
  private static func beginsAsOurs(_ method: ByteRange, in bytes: Span<UInt8>) -> Bool {
    let word = method.firstWord(in: bytes)
    return word.begins(with: "\"lastwor") || word.begins(with: "\"rpc.") || word.begins(with: "\"$/cance")
  }

  @inline(never)
  private static func named(_ method: ByteRange, in bytes: Span<UInt8>) -> OwnMethod {
    for own in Self.names where JSONString.equals(method, in: bytes, own.name) { return own.method }
    return isReserved(method, in: bytes) ? .unknown : .foreign
  }

  /// `lastword.` is ours, `rpc.` is reserved by JSON-RPC 2.0, section 4.3: neither is ever forwarded.
  private static func isReserved(_ method: ByteRange, in bytes: Span<UInt8>) -> Bool {
    var name: [UInt8] = []
    _ = JSONString.unescape(method, in: bytes, into: &name)
    return name.starts(with: "lastword.".utf8) || name.starts(with: "rpc.".utf8)
  }
}
