/// Remembers the last events of a run, to show what led to a violation.
struct LoadTrace {
  enum Event {
    case sent(policy: PolicyName)
    case cancelled
    case result(arrival: UInt64, newest: UInt64)
    case error(code: Int)
    case reset
  }

  /// A static string keeps events short.
  typealias PolicyName = StaticString

  private struct Entry {
    var nanoseconds: UInt64
    var number: UInt64
    var connection: Int
    var key: Int
    var event: Event
  }

  private static let capacity = 1 << 14
  /// How many events are shown of one violation.
  private static let linesShown = 40

  private var entries: [Entry] = []
  private var count = 0

  mutating func note(_ event: Event, _ number: UInt64, connection: Int, key: Int, at nanoseconds: UInt64) {
    let entry = Entry(
      nanoseconds: nanoseconds, number: number, connection: connection, key: key, event: event)
    if entries.count < Self.capacity { entries.append(entry) } else { entries[count % Self.capacity] = entry }
    count += 1
  }

  /// The last events of a key, with the ends of its connection; without a key all events of the connection.
  func lines(connection: Int, key: Int?, since start: UInt64) -> [String] {
    let oldest = max(0, count - entries.count)
    var lines: [String] = []
    for index in (oldest..<count).reversed() where lines.count < Self.linesShown {
      let entry = entries[index % Self.capacity]
      let isMeant = key.map { $0 == entry.key } ?? (entry.connection == connection)
      if isMeant || (entry.key < 0 && entry.connection == connection) { lines.append(line(entry, start)) }
    }
    return lines.reversed()
  }

  private func line(_ entry: Entry, _ start: UInt64) -> String {
    let microseconds = Int(entry.nanoseconds - min(start, entry.nanoseconds)) / 1_000
    let time = String(microseconds)
    let column = String(repeating: " ", count: max(0, 10 - time.utf8.count)) + time
    return "\(column) µs  connection \(entry.connection)  \(text(entry))"
  }

  private func text(_ entry: Entry) -> String {
    switch entry.event {
    case .sent(let policy): ">> request \(entry.number), key \(entry.key), \(policy)"
    case .cancelled: ">> cancel \(entry.number)"
    case .result(let arrival, let newest) where arrival > 0:
      "<< result of \(entry.number), arrival \(arrival) of its key, newest known \(newest)"
    case .result: "<< result of \(entry.number)"
    case .error(let code): "<< error \(code) for \(entry.number)"
    case .reset: "reset by this client"
    }
  }
}
