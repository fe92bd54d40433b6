import Addresses
import Client
import HTTP1
import Secrets
import WebSocket

/// Speaks WebSocket as a client (RFC 6455): makes the handshake, then writes messages as frames, and finds messages in
/// frames.
final class WebSocketFraming: ClientFraming {
  private static let messageLimitBytes = 64 * 1024 * 1024

  private let nonce: [UInt8]
  /// Nil once the connection is a WebSocket.
  private var response: HTTPResponseReader? = HTTPResponseReader()
  private var reader = WebSocketReader(.client, limitBytes: WebSocketFraming.messageLimitBytes)
  /// A message as far as it has come.
  private var text: [UInt8] = []
  private var masks: LoadRandom
  private let onOpen: (ClientConnection) -> Void

  /// - Parameter onOpen: called once, when messages may be sent.
  init(onOpen: @escaping (ClientConnection) -> Void) {
    var system = SystemRandomNumberGenerator()
    nonce = (0..<16).map { _ in UInt8.random(in: 0...255, using: &system) }
    masks = LoadRandom(seed: system.next())
    self.onOpen = onOpen
  }

  // MARK: Sending

  /// Asks for a WebSocket.
  func ask(_ address: SocketAddress, into output: inout [UInt8]) {
    var text = "GET / HTTP/1.1\r\nHost: \(PostHead.host(address))\r\n"
    let offer = WebSocketHandshake.subprotocol
    for (name, value) in WebSocketHandshake.requestFields(nonce: nonce, offers: offer) {
      text += "\(name): \(value)\r\n"
    }
    output.append(contentsOf: (text + "\r\n").utf8)
  }

  func frame(_ message: Span<UInt8>, into output: inout [UInt8]) {
    WebSocketWriter.text(message, mask: nextMask(), into: &output)
  }

  private func nextMask() -> WebSocketMask {
    WebSocketMask(bits: UInt32(truncatingIfNeeded: masks.next()))
  }

  // MARK: Reading

  func connection(_ connection: ClientConnection, receivedBytes bytes: Span<UInt8>, count: Int) {
    var offset = 0
    if response != nil, !readResponse(connection, bytes, count, &offset) { return }
    while !connection.isClosed {
      switch reader.next(in: bytes, count: count, from: &offset, into: &text) {
      case .more: return
      case .text(isEnd: false), .pong: break
      case .text(isEnd: true): deliverText(over: connection)
      case .ping(let content):
        WebSocketWriter.pong(content.span, mask: nextMask(), into: &connection.output)
        connection.sendSoon()
      case .close(let code, let reason):
        let number = code.map { " with \($0.number)" } ?? ""
        connection.fail("the gateway closed the WebSocket\(number)" + (reason.isEmpty ? "" : ": \(reason)"))
      case .fault(let fault): connection.fail("the gateway sent no WebSocket: \(fault.reason)")
      }
    }
  }

  /// Returns whether frames follow.
  private func readResponse(
    _ connection: ClientConnection, _ bytes: Span<UInt8>, _ count: Int, _ offset: inout Int
  ) -> Bool {
    while true {
      switch response?.next(in: bytes, count: count, from: &offset) {
      case .more, nil: return false
      case .head(let head):
        if head.isInterim && head.status != HTTPStatus.switchingProtocols.rawValue { continue }
        let offer = WebSocketHandshake.subprotocol
        if let fault = WebSocketHandshake.fault(in: head, nonce: nonce, offered: offer, sha1: Digest.sha1) {
          connection.fail(fault)
          return false
        }
        response = nil
        onOpen(connection)
        return !connection.isClosed
      case .content, .end: continue
      case .fault(let fault):
        connection.fail("the gateway sent no HTTP: \(fault.reason)")
        return false
      }
    }
  }

  private func deliverText(over connection: ClientConnection) {
    let message = text.indices
    text.append(contentsOf: PostFraming.slack)
    connection.deliver(text.span, message)
    text.removeAll(keepingCapacity: true)
  }
}

@available(*, unavailable)
extension WebSocketFraming: Sendable {}
