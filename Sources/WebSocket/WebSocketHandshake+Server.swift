package import HTTP1

extension WebSocketHandshake {
  /// What a request comes to.
  package enum Answer {
    /// It is one of HTTP alone, and to be answered as such.
    case notAsked
    /// The response has status 101 and these fields; frames follow it.
    case accepted(subprotocol: String?, fields: [(String, String)])
    /// The response has these fields, too; what follows the request is not read.
    case refused(HTTPFault, fields: [(String, String)])
  }

  /// Judges a request (RFC 6455 section 4.2).
  ///
  /// HTTP/1.0 knows no upgrades: there none is asked for (RFC 9110 section 7.8).
  package static func answer(to head: HTTPRequestHead, sha1: SHA1) -> Answer {
    guard !head.isVersion0 && isAskedFor(head.fields) else { return .notAsked }
    guard head.method == "GET" else { return refused("an upgrade to WebSocket must be a GET") }
    guard head.framing == .none else { return refused("an upgrade to WebSocket has no content") }
    guard head.fields.values(of: "sec-websocket-version") == [version] else {
      let fault = HTTPFault(.upgradeRequired, "Sec-WebSocket-Version must be \(version)")
      return .refused(fault, fields: upgrade + [("Sec-WebSocket-Version", version)])
    }
    let keys = head.fields.values(of: "sec-websocket-key")
    guard keys.count == 1, let key = keys.first, Base64.isOf16Bytes(key) else {
      return refused("Sec-WebSocket-Key must be there once, with 16 bytes in base64")
    }
    guard let accept = accept(key, sha1) else {
      return .refused(HTTPFault(.notImplemented, "this program has no SHA-1"), fields: [])
    }
    // A browser that offered others only ends the connection itself.
    let chosen = subprotocols(head.fields).contains { $0 == subprotocol } ? subprotocol : nil
    let choice = chosen.map { [("Sec-WebSocket-Protocol", $0)] } ?? []
    return .accepted(subprotocol: chosen, fields: upgrade + [("Sec-WebSocket-Accept", accept)] + choice)
  }

  static let upgrade = [("Upgrade", "websocket"), ("Connection", "Upgrade")]

  static func isAskedFor(_ fields: HTTPFields) -> Bool {
    fields.words(of: "connection").contains("upgrade") && fields.words(of: "upgrade").contains("websocket")
  }

  private static func refused(_ reason: String) -> Answer { .refused(.malformed(reason), fields: []) }
}
