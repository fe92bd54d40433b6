/// Places of connections to the pages. Connections without a request give way, so that a health check is answered
/// however many there are.
extension AdminServer {
  /// If no connection can give way yet, the server looks again after so long at most.
  static let lookMilliseconds: UInt64 = 10

  /// Whether there is room for one more connection. If need be, closes one that gives way.
  func hasRoom(inReserve isReserve: Bool) -> Bool {
    let count = connections.values.count { $0.isReserve == isReserve }
    guard count >= options.connections else { return true }
    guard let yielding = yielding(inReserve: isReserve) else { return false }
    yielding.close()
    return true
  }

  /// How long to wait before the next connection is accepted, as none gives way yet; nil: do not wait, for there is
  /// room, or none will ever give way, and the next one is answered so.
  func waitForRoomMilliseconds() -> UInt64? {
    var soonest: UInt64?
    for isReserve in [false, true] {
      let held = connections.values.filter { $0.isReserve == isReserve }
      if held.count < options.connections || yielding(inReserve: isReserve) != nil { return nil }
      for case let due? in held.map(\.yieldsAtMilliseconds) { soonest = min(soonest ?? .max, due) }
    }
    return soonest.map { min(max($0, nowMilliseconds + 1) - nowMilliseconds, Self.lookMilliseconds) }
  }

  /// The connection that began a request longest ago; if there is none, the one that has held its place without a
  /// request for longest. A connection with a complete request does not give way to one that only begins its own.
  private func yielding(inReserve isReserve: Bool) -> AdminConnection? {
    var found: AdminConnection?
    for connection in connections.values where connection.isReserve == isReserve {
      guard let due = connection.yieldsAtMilliseconds, due <= nowMilliseconds else { continue }
      if found.map({ connection.yields(before: $0) }) ?? true { found = connection }
    }
    return found
  }
}
