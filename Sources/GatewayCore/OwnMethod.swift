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
  /// Under one of our prefixes, and nothing we know.
  case unknown

  /// The names we answer to.
  package static let names: [(name: StaticString, method: OwnMethod)] = [
    ("lastword.call", .call), ("lastword.cancel", .cancel), ("lastword.inspect", .inspect),
    ("lastword.ping", .ping), ("$/cancelRequest", .cancelRequest), ("rpc.discover", .discover),
  ]

  @inline(__always)
  init(_ envelope: Envelope, in bytes: Span<UInt8>) {
    let mayBeOurs = envelope.methodHasEscapes || Self.mayBeOurs(envelope.method, in: bytes)
    self = mayBeOurs ? OwnMethod(envelope.method, in: bytes) : .foreign
  }

  @inline(never)
  private init(_ method: ByteRange, in bytes: Span<UInt8>) {
    for own in Self.names where JSONString.equals(method, in: bytes, own.name) {
      self = own.method
      return
    }
    self = Self.isReserved(method, in: bytes) ? .unknown : .foreign
  }

  /// Judged by its first byte behind the quote, which there is even if that is the other quote.
  @inline(__always)
  private static func mayBeOurs(_ method: ByteRange, in bytes: Span<UInt8>) -> Bool {
    switch bytes[Int(method.lower) + 1] {
    case UInt8(ascii: "l"): method.begins(with: "\"lastwor", in: bytes)
    case UInt8(ascii: "r"): method.begins(with: "\"rpc.", in: bytes)
    case UInt8(ascii: "$"): method.begins(with: "\"$/cance", in: bytes)
    default: false
    }
  }

  /// `lastword.` is ours, `rpc.` is reserved by JSON-RPC 2.0, section 4.3: neither is ever forwarded.
  private static func isReserved(_ method: ByteRange, in bytes: Span<UInt8>) -> Bool {
    var name: [UInt8] = []
    _ = JSONString.unescape(method, in: bytes, into: &name)
    return name.starts(with: "lastword.".utf8) || name.starts(with: "rpc.".utf8)
  }
}
