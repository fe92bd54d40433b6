import HotData
import JSONRPC

/// The edge's state, for watchers and for tests.
extension Edge {
  func isThere(_ client: Int) -> Bool { clients.contains(client) }
  var connected: [Int] { (0..<clients.endSlot).filter { clients.contains($0) } }
  func number(of client: Int) -> UInt64 { clients[client].number }
  func listener(of client: Int) -> Int { clients[client].listenerNumber }
  var clientCount: Int { clients.count }
  /// Groups that have an open request.
  var groupCount: Int { callers.groupCount }

  /// Requests that came and have no answer, as they were counted.
  @inline(__always)
  var unansweredCount: UInt64 {
    let answered =
      counters.delivered + counters.failed + counters.superseded + counters.cancelled + counters.expired
      + counters.rejected + counters.abandoned
    return counters.admitted &- answered
  }

  /// Bytes that a client has still to take.
  func unsentByteCount(of client: Int) -> Int { clients[client].output.byteCount }

  /// A client's input that is not handled yet: bytes, and, before them, items of an array that was begun.
  func heldInput(of client: Int) -> (bytes: Int, items: Int) {
    guard let held = clients[client].held else { return (0, 0) }
    return (held.unreadByteCount, held.array?.itemCount ?? 0)
  }

  /// The bytes that answers of batches take, less those that are counted: 0.
  var uncountedBatchBytes: Int {
    (0..<batches.endSlot).reduce(-batchBytes) {
      $0 + (batches.contains($1) ? batches[$1].answers.count : 0)
    }
  }

  /// Whether so much has come of a message that it should have been checked meanwhile, and was not.
  func leavesUnchecked(_ most: Int) -> Bool {
    (0..<clients.endSlot).contains { clients.contains($0) && clients[$0].framer.uncheckedByteCount > most }
  }

  func noteLeftovers(_ note: (String, Int) -> Void) {
    note("groups", callers.groupCount)
    note("batches", batches.count)
    note("bytes of batches", batchBytes)
    note("bytes of input", clients.count == 0 ? inputBytes : 0)
    note("bytes of what carries clients", transportByteCount)
    note("blocks of output", clients.count == 0 ? blocks.blocksInUse : 0)
    note("clients of whom something is held", holdsInput ? 1 : 0)
    note("clients", clients.count)
  }

  /// Gives back what tables grew to; no request must be open.
  mutating func giveBackTables() { callers.giveBackMemory() }
  func giveBackBlocks() { blocks.giveBackMemory() }

  mutating func takeRefusedNotifications() -> [RefusedNotification] {
    hasNews = !audit.isEmpty
    defer { refusedNotifications = [] }
    return refusedNotifications
  }

  var hasRefusedNotifications: Bool { !refusedNotifications.isEmpty }
}
