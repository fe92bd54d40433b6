/// The clients that have a timeout: each list is ordered by when it began, so that its first is always the next to be
/// due.
struct ClientTimeouts: ~Copyable {
  enum Wait: Int, CaseIterable {
    case nothing
    /// The first byte of a new connection.
    case firstByte
    /// The rest of a message.
    case message
    /// Anything at all from a connection that has nothing to do.
    case request
    /// Who it is.
    case principal
    /// That it reads what it is sent, before anything more is read from it.
    case reading
  }

  private var links = SlotLinks()
  /// By timeout; a client without one is in no list.
  private var lists = Wait.allCases.map { _ in SlotList() }
  private var count = 0
  /// When the first of the tokens ends by which clients are known, in milliseconds since 1970; nil: none does.
  var firstTokenEnd: Int64? {
    didSet { count += (firstTokenEnd == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
  }

  /// Nobody is waited for, and nobody's token ends.
  var isEmpty: Bool { count == 0 }

  /// The client that is waited for longest, by its slot.
  func first(_ wait: Wait) -> Int? {
    let list = lists[wait.rawValue]
    return list.isEmpty ? nil : list.first - 1
  }

  mutating func begin(_ wait: Wait, for client: Int) {
    guard wait != .nothing else { return }
    count += 1
    // Clients are numbered from 0, the lists' slots from 1.
    links.append(client + 1, to: &lists[wait.rawValue])
  }

  mutating func end(_ wait: Wait, for client: Int) {
    guard wait != .nothing else { return }
    count -= 1
    links.remove(client + 1, from: &lists[wait.rawValue])
  }
}
