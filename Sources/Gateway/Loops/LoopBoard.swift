import GatewayCore
import Synchronization

/// The board of a process' loops: how many connections each has, as one bound holds for all; and, once they were told
/// to stop, whether each has anything left to do. Any loop could still ask another something, so they stop together.
final class LoopBoard: Sendable {
  private struct Note {
    var isQuiet = false
    /// What it has sent to others, and got of them.
    var sent: UInt64 = 0
    var received: UInt64 = 0
  }

  private struct State {
    var notes: [Note]
    var isOver = false
    var connections: [Int]
  }

  /// On their way to a loop.
  private final class Bytes: Sendable {
    let count = Atomic<Int>(0)
    /// What it has taken since the start.
    let taken = Atomic<UInt64>(0)
  }

  enum Answer { case no, yes, sinceNow }

  /// So much may be on its way to one loop; then it is given no more until it has taken some of that.
  static let mostBytesUnderWay = GatewayCore.mostMailBytes
  /// With so much on its way to one loop, it is looked at whose that is.
  static let manyBytesUnderWay = mostBytesUnderWay / 4

  private let state: Mutex<State>
  /// By loop.
  private let bytes: [Bytes]

  init(loops: Int) {
    state = Mutex(
      State(
        notes: [Note](repeating: Note(), count: loops), connections: [Int](repeating: 0, count: loops)))
    bytes = (0..<loops).map { _ in Bytes() }
  }

  /// So much more is on its way to a loop, or less.
  func count(bytes byteCount: Int, to loop: Int) {
    bytes[loop].count.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// A loop has taken so much of what was on its way there.
  func took(bytes byteCount: Int, by loop: Int) {
    bytes[loop].taken.wrappingAdd(UInt64(byteCount), ordering: .relaxed)
    count(bytes: -byteCount, to: loop)
  }

  /// What is on its way to a loop, if that is much, and what it has taken since the start.
  func load(of loop: Int) -> (byteCount: Int, takenByteCount: UInt64)? {
    let byteCount = bytes[loop].count.load(ordering: .relaxed)
    guard byteCount >= Self.manyBytesUnderWay else { return nil }
    return (byteCount: byteCount, takenByteCount: bytes[loop].taken.load(ordering: .relaxed))
  }

  /// Whether as much is on its way to a loop as may be.
  func isBehind(_ loop: Int) -> Bool {
    bytes[loop].count.load(ordering: .relaxed) >= Self.mostBytesUnderWay
  }

  /// A loop has so many connections; returns how many the others have.
  func connections(_ count: Int, of loop: Int) -> Int {
    state.withLock { state in
      state.connections[loop] = count
      return state.connections.reduce(-count, +)
    }
  }

  func isBusy(_ loop: Int) { state.withLock { $0.notes[loop].isQuiet = false } }

  /// A loop has nothing left to do: whether no loop has, and nothing is on its way between them.
  ///
  /// Mail counts as sent before it can be received: while the sums are equal, no note is older than the last mail that
  /// its loop received.
  func isQuiet(_ loop: Int, sent: UInt64, received: UInt64) -> Answer {
    state.withLock { state in
      state.notes[loop] = Note(isQuiet: true, sent: sent, received: received)
      if state.isOver { return .yes }
      guard state.notes.allSatisfy(\.isQuiet) else { return .no }
      let (sent, received) = state.notes.reduce((UInt64(0), UInt64(0))) {
        ($0.0 &+ $1.sent, $0.1 &+ $1.received)
      }
      state.isOver = sent == received
      return state.isOver ? .sinceNow : .no
    }
  }
}
