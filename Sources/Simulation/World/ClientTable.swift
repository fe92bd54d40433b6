import GatewayCore
import JSONRPC

/// The simulated clients by their numbers, and which of them are there.
struct ClientTable {
  var all: [SimulatedClient] = []
  /// Numbers of those that are connected.
  private(set) var open: [Int] = []
  /// Numbers of clients in their handshakes: the gateway's core has not heard of them.
  private(set) var greeting: [Int] = []

  func isOpen(_ client: Int) -> Bool { client < all.count && all[client].isOpen }
  /// Whether it is connected, be it in its handshake.
  func isThere(_ client: Int) -> Bool { isOpen(client) || greeting.contains(client) }
  func isNew(_ client: Int) -> Bool { client >= all.count || all[client].state == .absent }
  func id(of client: Int) -> ClientID? { isOpen(client) ? all[client].id : nil }

  mutating func greet(_ client: Int, _ framing: Framing) {
    while all.count <= client { all.append(SimulatedClient()) }
    all[client].state = .greeting
    all[client].framing = framing
    greeting.append(client)
  }

  mutating func isGreeted(_ client: Int) { greeting.removeAll { $0 == client } }

  mutating func connect(_ client: Int, as id: ClientID, _ framing: Framing) {
    while all.count <= client { all.append(SimulatedClient()) }
    all[client].state = .open
    all[client].id = id
    all[client].framing = framing
    open.append(client)
  }

  mutating func close(_ client: Int) {
    all[client] = SimulatedClient()
    all[client].state = .closed
    open.removeAll { $0 == client }
    isGreeted(client)
  }
}
