import HTTP1

/// Decides whether a connection of HTTP becomes one of WebSocket (RFC 6455 section 4); no extensions are agreed on.
package enum WebSocketHandshake {
  /// JSON-RPC, a text message each: what our clients offer, and browsers want to be chosen.
  package static let subprotocol = "lastword.1"

  /// SHA-1 (FIPS 180-4) of some bytes, 20 of them; nil: it cannot be made here.
  package typealias SHA1 = ([UInt8]) -> [UInt8]?

  static let version = "13"
  /// What no server says by accident (RFC 6455 section 1.3).
  private static let mark = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  static func accept(_ key: String, _ sha1: SHA1) -> String? {
    sha1(Array((key + mark).utf8)).map(Base64.text)
  }

  /// Names of subprotocols: their letters' size matters.
  static func subprotocols(_ fields: HTTPFields) -> [Substring] {
    fields.values(of: "sec-websocket-protocol").flatMap { value in
      value.split { $0 == "," || $0 == " " || $0 == "\t" }
    }
  }
}
