import GatewayCore
import HTTP1
import Secrets
import WebSocket

/// A connection that becomes a WebSocket (RFC 6455 section 4.2).
extension HTTPConnection {
  /// Returns whether that was asked for, and is granted.
  func upgrade(_ head: HTTPRequestHead) throws(HTTPFault) -> Bool {
    guard clients.server.clientProtocols(listener).protocols.contains(.webSocket) else { return false }
    switch WebSocketHandshake.answer(to: head, sha1: Digest.sha1) {
    case .notAsked: return false
    case .refused(let fault, let fields):
      replyFields += fields
      throw fault
    case .accepted(_, let fields):
      var response: [UInt8] = []
      HTTPWriter.head(.switchingProtocols, fields, into: &response)
      if clients.server.asksWho(listener), let token = try Self.token(of: head) {
        prefix = Self.presenting(token)
      }
      webSocket = WebSocketTransport(carrier, head: response, of: clients)
      state = .upgrading
      return true
    }
  }

  /// Hands its carrier over, with what has come behind the request.
  func become(_ webSocket: WebSocketTransport, _ bytes: Span<UInt8>, _ rest: Range<Int>) {
    isClosed = true
    clients.forget(self)
    // The core counts it from now on.
    clients.tellCounts()
    clients.add(webSocket)
    carrier.start(as: ClientID(slot: 0), webSocket)
    carrier.setReading(true)
    webSocket.flush()
    guard clients.server.open(webSocket, listener, credential) else { return }
    if !prefix.isEmpty { webSocket.present(prefix) }
    if !rest.isEmpty {
      webSocket.client(ClientID(slot: 0), received: bytes.extracting(rest), count: rest.count)
    }
    if hasInputEnded { webSocket.clientEnded(ClientID(slot: 0)) }
  }
}
