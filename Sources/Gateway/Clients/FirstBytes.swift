import GatewayCore
import HTTP1
import JSONRPC
import LibUV

/// Hears the first bytes of connections, and decides who serves them from then on: the core, to which each belongs at
/// first, or `HTTPClients`. Afterwards nothing stands between.
final class FirstBytes {
  private unowned let server: GatewayServer
  /// The bytes of clients that do not suffice to decide yet, by the client's slot.
  private var begun: [Int: [UInt8]] = [:]

  init(of server: GatewayServer) { self.server = server }

  private func heard(_ client: ClientID, _ bytes: Span<UInt8>, count: Int, pass: (Span<UInt8>, Int) -> Void) {
    let before = begun.removeValue(forKey: client.slot) ?? []
    var head = before
    head.append(bytes, 0..<min(count, FirstWord.decidingBytes))
    let word = FirstWord(head)
    if word == .undecided {
      begun[client.slot] = head
      if before.isEmpty { server.messageBegan(client) }
      return
    }
    guard before.isEmpty else {
      var all = before
      // With the slack behind it.
      all.append(bytes, 0..<bytes.count)
      return decide(word, client, all.span, count: before.count + count, pass: pass)
    }
    decide(word, client, bytes, count: count, pass: pass)
  }

  private func decide(
    _ word: FirstWord, _ client: ClientID, _ bytes: Span<UInt8>, count: Int,
    pass: (Span<UInt8>, Int) -> Void
  ) {
    let protocols = server.clientProtocols(server.core.listener(of: client))
    switch word {
    case .http where protocols.speaksHTTP: server.serveHTTP(client, bytes, count: count)
    // As ever, it is a line that is none, unless lines are left out, too.
    case .header where protocols.protocols.contains(.contentLength): pass(bytes, count)
    case .http where !protocols.protocols.isDisjoint(with: [.lines, .contentLength]): pass(bytes, count)
    case .line where protocols.protocols.contains(.lines): pass(bytes, count)
    // HTTP says in its own terms what is wrong.
    case _ where protocols.speaksHTTP: server.serveHTTP(client, bytes, count: count)
    default: server.turnAway(client)
    }
  }

  /// A client is new: what one began that had its slot is nobody's any more.
  func admitted(_ client: ClientID) { if !begun.isEmpty { begun[client.slot] = nil } }

  /// What it has said so far goes to the core all the same. Returns whether it is still there: its time may have been
  /// over, and the core may have closed it with that.
  private func passBegun(_ client: ClientID) -> Bool {
    guard let before = begun.removeValue(forKey: client.slot) else { return true }
    let bytes = before + [UInt8](repeating: 0, count: EventLoop.slackByteCount)
    server.client(client, received: bytes.span, count: before.count)
    return server.connections.isThere(client)
  }
}

extension FirstBytes: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    heard(ClientID(slot: Int(stream.token)), bytes, count: count) {
      stream.delegate = server
      server.stream(stream, received: $0, count: $1)
    }
  }

  func streamEnded(_ stream: ByteStream) {
    guard passBegun(ClientID(slot: Int(stream.token))) else { return }
    stream.delegate = server
    server.streamEnded(stream)
  }

  func stream(_ stream: ByteStream, failed error: UVError) {
    begun[Int(stream.token)] = nil
    server.stream(stream, failed: error)
  }

  func streamBecameWritable(_ stream: ByteStream) { server.streamBecameWritable(stream) }
}

extension FirstBytes: ClientTransportDelegate {
  func client(_ client: ClientID, received bytes: Span<UInt8>, count: Int) {
    // A client that chose HTTP by ALPN is read as HTTP, whatever it sends: the HTTP reader tells it of faults.
    guard server.connections.transport(of: client)?.isHTTPOnly != true else {
      return server.serveHTTP(client, bytes, count: count)
    }
    heard(client, bytes, count: count) {
      server.hearDirectly(client)
      server.client(client, received: $0, count: $1)
    }
  }

  func client(_ client: ClientID, transportHolds byteCount: Int) {
    server.client(client, transportHolds: byteCount)
  }

  func clientEnded(_ client: ClientID) {
    guard passBegun(client) else { return }
    server.hearDirectly(client)
    server.clientEnded(client)
  }

  func clientDisconnected(_ client: ClientID) {
    begun[client.slot] = nil
    server.clientDisconnected(client)
  }

  func clientBecameWritable(_ client: ClientID) { server.clientBecameWritable(client) }
}

@available(*, unavailable)
extension FirstBytes: Sendable {}
