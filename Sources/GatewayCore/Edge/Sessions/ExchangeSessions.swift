import HotData

/// The POSTs that belong together, because each of them names the same session: as long as any of them is under way.
struct ExchangeSessions: ~Copyable {
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

  /// Its members are linked in the order in which they came.
  private struct Session {
    var name: Name
    var first = -1
    var last = -1
  }

  /// The session that a POST names, and its place once the POST's principal is known; -1: none yet.
  struct Membership {
    var text: [UInt8]?
    @Compact var session = -1
    /// Who joined it just before and behind this one; -1: nobody.
    @Compact var previous = -1
    @Compact var next = -1
  }

  /// By the client's slot.
  private var memberships = SlotArray(empty: Membership(), count: 0)
  /// So many clients name one.
  private var count = 0
  private var places: [Name: Int] = [:]
  private var sessions: [Session] = []
  private var free: [Int] = []

  var isEmpty: Bool { count == 0 }

  /// What a client calls its session, if it does.
  func text(of client: Int) -> [UInt8]? {
    memberships.indices.contains(client) ? memberships[client].text : nil
  }

  /// A client names a session; it belongs to it once it is known whose it is.
  mutating func note(_ client: Int, _ text: [UInt8]) {
    memberships.reach(client)
    if memberships[client].text == nil { count += 1 }
    memberships[client].text = text
  }

  /// It is known whose a client is.
  /// Returns one that was in the same session before it, if it names one.
  mutating func join(_ client: Int, listener: Int, principal: Int) -> Int? {
    guard let text = text(of: client), memberships[client].session < 0 else { return nil }
    let place = place(of: Name(listener: listener, principal: principal, text: text))
    memberships[client].session = place
    let last = sessions[place].last
    memberships[client].previous = last
    sessions[place].last = client
    guard last >= 0 else {
      sessions[place].first = client
      return nil
    }
    memberships[last].next = client
    return sessions[place].first
  }

  mutating func remove(_ client: Int) {
    guard text(of: client) != nil else { return }
    let (place, previous, next) = (
      memberships[client].session, memberships[client].previous, memberships[client].next
    )
    memberships[client] = Membership()
    count -= 1
    guard place >= 0 else { return }
    if previous >= 0 { memberships[previous].next = next } else { sessions[place].first = next }
    if next >= 0 { memberships[next].previous = previous } else { sessions[place].last = previous }
    guard sessions[place].first < 0 else { return }
    places[sessions[place].name] = nil
    free.append(place)
  }

  /// All of a client's session, itself included, those that came last first.
  func members(with client: Int) -> [Int] {
    guard text(of: client) != nil, memberships[client].session >= 0 else { return [client] }
    var members: [Int] = []
    var member = sessions[memberships[client].session].last
    while member >= 0 {
      members.append(member)
      member = memberships[member].previous
    }
    return members
  }

  private mutating func place(of name: Name) -> Int {
    if let place = places[name] { return place }
    let place = free.popLast() ?? sessions.count
    if place == sessions.count { sessions.append(Session(name: name)) } else { sessions[place].name = name }
    places[name] = place
    return place
  }
}
