import GatewayCore

/// The core's clients in the playground, each with its caller.
struct PlaygroundCallers {
  private var clients: [(client: ClientID, caller: PlaygroundCaller)] = []

  var count: Int { clients.count }

  /// The client for all requests of this caller; nil: a new one is needed.
  func connection(of caller: PlaygroundCaller) -> ClientID? {
    caller.kind == .exchange ? nil : clients.first { $0.caller == caller }?.client
  }

  func caller(of client: ClientID) -> PlaygroundCaller? { clients.first { $0.client == client }?.caller }

  mutating func add(_ client: ClientID, _ caller: PlaygroundCaller) { clients.append((client, caller)) }

  mutating func remove(_ client: ClientID) { clients.removeAll { $0.client == client } }

  mutating func takeAll() -> [ClientID] {
    defer { clients = [] }
    return clients.map(\.client)
  }
}
