import GatewayCore

/// Sessions of POSTs: whose keys of scope `connection`, groups and ids are one's own.
extension Oracle {
  /// What a client calls its session; nil: it names none.
  func sessionText(of client: Int, _ kind: ClientKind) -> String? {
    guard kind == .exchange else { return nil }
    let texts: [String?] = ["one", nil, "one", "two"]
    return texts[client / 5 % texts.count]
  }

  /// It belongs to its session once it is known whose it is.
  mutating func joinSession(_ client: Int) {
    guard clients[client].session == nil, clients[client].person != .unknown,
      let text = sessionText(of: client, clients[client].kind)
    else { return }
    let session = SessionIdentity(
      text: text, listener: clients[client].listener, principal: clients[client].principal)
    clients[client].session = session
    if let first = sessions[session]?.first {
      clients[client].own = clients[first].own
      coverage.count(.sharedSession)
    }
    sessions[session, default: []].append(client)
  }

  mutating func leaveSession(_ client: Int) {
    guard let session = clients[client].session else { return }
    sessions[session]?.removeAll { $0 == client }
    if sessions[session]?.isEmpty == true { sessions[session] = nil }
  }

  /// The clients that share ids and groups with this one: itself and the members of its session.
  func session(of client: Int) -> [Int] {
    guard let session = clients[client].session, let members = sessions[session], members.contains(client)
    else { return [client] }
    return members
  }
}
