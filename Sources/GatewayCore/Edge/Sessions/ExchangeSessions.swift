/// The POSTs that belong together, because each of them names the same session: as long as any of them is under way.
struct ExchangeSessions {
  /// Sessions of two principals, or of two listeners, are never the same.
  private struct Name: Hashable {
    let listener: Int
    let principal: Int
    let text: [UInt8]

    /// Byte by byte, as an array does it, takes ten times as long.
    func hash(into hasher: inout Hasher) {
      hasher.combine(listener)
      hasher.combine(principal)
      hasher.combine(text.count)
      // Valid during the call, and not kept.
      unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
  }

  /// By the client's slot, what those name that do.
  private var texts: [Int: [UInt8]] = [:]
  private var names: [Int: Name] = [:]
  /// In the order in which they came.
  private var members: [Name: [Int]] = [:]

  var isEmpty: Bool { texts.isEmpty }

  /// What a client calls its session, if it does.
  func text(of client: Int) -> [UInt8]? { texts[client] }

  /// A client names a session; it belongs to it once it is known whose it is.
  mutating func note(_ client: Int, _ text: [UInt8]) { texts[client] = text }

  /// It is known whose a client is.
  /// Returns one that was in the same session before it, if it names one.
  mutating func join(_ client: Int, listener: Int, principal: Int) -> Int? {
    guard let text = texts[client], names[client] == nil else { return nil }
    let name = Name(listener: listener, principal: principal, text: text)
    names[client] = name
    defer { members[name, default: []].append(client) }
    return members[name]?.first
  }

  mutating func remove(_ client: Int) {
    texts[client] = nil
    guard let name = names.removeValue(forKey: client) else { return }
    members[name]?.removeAll { $0 == client }
    if members[name]?.isEmpty == true { members[name] = nil }
  }

  /// All of a client's session, itself included, those that came last first.
  func members(with client: Int) -> [Int] {
    guard let name = names[client] else { return [client] }
    return members[name, default: []].reversed()
  }
}
