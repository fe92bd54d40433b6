package import HTTP1

extension WebSocketHandshake {
  /// What a client's request has besides its own fields (RFC 6455 section 4.1).
  ///
  /// - Parameter nonce: 16 random bytes, others for each connection.
  package static func requestFields(nonce: [UInt8], offers subprotocol: String?) -> [(String, String)] {
    precondition(nonce.count == 16, "a nonce has 16 bytes")
    let offer = subprotocol.map { [("Sec-WebSocket-Protocol", $0)] } ?? []
    let own = [("Sec-WebSocket-Key", Base64.text(of: nonce)), ("Sec-WebSocket-Version", version)]
    return upgrade + own + offer
  }

  /// Whether frames follow a response (RFC 6455 section 4.1).
  ///
  /// - Parameters:
  ///   - nonce: that of the request.
  ///   - subprotocol: what the request offered.
  /// - Returns: what is wrong with it, in a sentence; nil: nothing.
  package static func fault(
    in head: HTTPResponseHead, nonce: [UInt8], offered subprotocol: String?, sha1: SHA1
  ) -> String? {
    guard head.status == HTTPStatus.switchingProtocols.rawValue else {
      return "the server did not upgrade to WebSocket: its status is \(head.status)"
    }
    guard isAskedFor(head.fields), head.fields.words(of: "upgrade") == ["websocket"] else {
      return "the server upgraded to something else"
    }
    guard let accept = accept(Base64.text(of: nonce), sha1) else { return "this program has no SHA-1" }
    guard head.fields.values(of: "sec-websocket-accept") == [accept] else {
      return "the server's Sec-WebSocket-Accept is not that of our key"
    }
    guard head.fields.values(of: "sec-websocket-extensions").isEmpty else {
      return "the server chose an extension that was not offered"
    }
    let chosen = subprotocols(head.fields)
    guard chosen.isEmpty || chosen == subprotocol.map({ [Substring($0)] }) else {
      return "the server chose a subprotocol that was not offered"
    }
    return nil
  }
}
