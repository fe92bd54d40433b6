/// Matches the time at which a request was not wanted any more with the time at which upstream heard its cancel: they
/// become known over different connections.
struct CancelLedger {
  /// How many requests are kept at once; later ones replace earlier ones.
  private static let capacity = 1 << 16

  /// How a request ended, by its reply.
  private enum End { case unknown, superseded, cancelled }

  /// The times of one request; those that are not known are 0.
  private struct Entry {
    var number: UInt64 = 0
    var end = End.unknown
    var unwantedNanoseconds: UInt64 = 0
    var overtakenNanoseconds: UInt64 = 0
    var heardNanoseconds: UInt64 = 0

    /// How long the cancel took, once all is known.
    var latencyNanoseconds: UInt64? {
      let since: UInt64
      switch end {
      case .unknown: return nil
      case .cancelled: since = unwantedNanoseconds
      case .superseded where unwantedNanoseconds == 0 || overtakenNanoseconds == 0:
        since = max(unwantedNanoseconds, overtakenNanoseconds)
      // Whichever came first.
      case .superseded: since = min(unwantedNanoseconds, overtakenNanoseconds)
      }
      return since != 0 && heardNanoseconds > since ? heardNanoseconds - since : nil
    }
  }

  private var entries: [Entry] = []

  /// - Parameter nanoseconds: when the first request was sent that supersedes it; 0: none was.
  /// - Returns: how long the cancel took, once it is known.
  mutating func superseded(_ number: UInt64, at nanoseconds: UInt64) -> UInt64? {
    update(number) {
      $0.end = .superseded
      $0.unwantedNanoseconds = nanoseconds
    }
  }

  /// The client itself cancelled it.
  mutating func cancelled(_ number: UInt64, at nanoseconds: UInt64) -> UInt64? {
    update(number) {
      $0.end = .cancelled
      $0.unwantedNanoseconds = nanoseconds
    }
  }

  /// - Parameter overtaken: when upstream gave an answer that supersedes it; 0: it gave none.
  mutating func heard(_ number: UInt64, at nanoseconds: UInt64, overtaken: UInt64) -> UInt64? {
    update(number) {
      $0.heardNanoseconds = nanoseconds
      $0.overtakenNanoseconds = overtaken
    }
  }

  private mutating func update(_ number: UInt64, _ change: (inout Entry) -> Void) -> UInt64? {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.capacity) }
    let index = Int(truncatingIfNeeded: number) & (Self.capacity - 1)
    if entries[index].number != number { entries[index] = Entry(number: number) }
    change(&entries[index])
    let latency = entries[index].latencyNanoseconds
    if latency != nil { entries[index] = Entry() }
    return latency
  }
}
