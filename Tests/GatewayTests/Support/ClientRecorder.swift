import Gateway
import GatewayCore
import LibUV
import Testing

/// Hears what comes of one client's transport.
final class ClientRecorder: ClientTransportDelegate {
  enum Event: Hashable { case ended, becameWritable, disconnected }

  private let client: ClientID
  private(set) var events: [Event] = []
  private(set) var received: [UInt8] = []

  init(_ client: ClientID) { self.client = client }

  var text: String { String(decoding: received, as: UTF8.self) }

  func client(_ client: ClientID, received bytes: Span<UInt8>, count: Int) {
    #expect(client == self.client && bytes.count == count + EventLoop.slackByteCount)
    for index in 0..<count { received.append(bytes[index]) }
  }

  func clientEnded(_ client: ClientID) { heard(.ended, of: client) }
  func clientBecameWritable(_ client: ClientID) { heard(.becameWritable, of: client) }
  func clientDisconnected(_ client: ClientID) { heard(.disconnected, of: client) }

  private func heard(_ event: Event, of client: ClientID) {
    #expect(client == self.client)
    events.append(event)
  }
}
