/// Which clients are waited for, each list ordered by when that began, so that its first is always the next to be due.
struct ClientPatience {
  enum Wait: CaseIterable {
    case nothing
    /// The first byte of a new connection.
    case firstByte
    /// The rest of a message.
    case message
    /// Anything at all from a connection that has nothing to do.
    case request
    /// That it reads what it is sent, before anything more is read from it.
    case reading
  }

  private var links = SlotLinks()
  private var firstByte = SlotList()
  private var message = SlotList()
  private var request = SlotList()
  private var reading = SlotList()

  /// The client that is waited for longest, by its slot.
  func first(_ wait: Wait) -> Int? {
    let first =
      switch wait {
      case .nothing: 0
      case .firstByte: firstByte.first
      case .message: message.first
      case .request: request.first
      case .reading: reading.first
      }
    return first == 0 ? nil : first - 1
  }

  mutating func begin(_ wait: Wait, for client: Int) {
    // Clients are numbered from 0, the lists' slots from 1.
    switch wait {
    case .nothing: break
    case .firstByte: links.append(client + 1, to: &firstByte)
    case .message: links.append(client + 1, to: &message)
    case .request: links.append(client + 1, to: &request)
    case .reading: links.append(client + 1, to: &reading)
    }
  }

  mutating func end(_ wait: Wait, for client: Int) {
    switch wait {
    case .nothing: break
    case .firstByte: links.remove(client + 1, from: &firstByte)
    case .message: links.remove(client + 1, from: &message)
    case .request: links.remove(client + 1, from: &request)
    case .reading: links.remove(client + 1, from: &reading)
    }
  }
}
