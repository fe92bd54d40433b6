import Glibc
package import Logging
import Synchronization

/// Writes the log to standard error, from a level on and in one form.
///
/// It never waits: a pipe or a terminal that nobody reads would fill. Lines that cannot be written are dropped and
/// counted, and once there is room again a line tells the count.
package final class LogSink: Sendable {
  package enum Form: Sendable { case text, json }

  /// With its end; a pipe that can be written to takes as much at once.
  package static let lineLimitBytes = 4_096

  private struct State {
    var form: Form
    var droppedCount = 0
    /// Of them, those that no line has told of.
    var untoldCount = 0
    /// Only a part of the last line was taken.
    var isInLine = false
  }

  private static let levels = Logger.Level.allCases
  /// Where it is in `levels`: it is looked at for events that are not logged, too.
  private let levelIndex: Atomic<Int>
  /// Handlers belong to no thread.
  private let state: Mutex<State>
  private let descriptor: Int32
  /// Where lines go, if not to `descriptor` itself.
  private let own: OwnDescription?
  /// A descriptor that was closed from the beginning becomes a socket's.
  private let isOpen: Bool

  package init(descriptor: Int32 = STDERR_FILENO, level: Logger.Level = .info, form: Form = .text) {
    self.descriptor = descriptor
    isOpen = fcntl(descriptor, F_GETFD) >= 0
    own = OwnDescription(of: descriptor)
    levelIndex = Atomic(Self.levels.firstIndex(of: level) ?? 0)
    state = Mutex(State(form: form))
  }

  package var level: Logger.Level {
    get { Self.levels[levelIndex.load(ordering: .relaxed)] }
    set { levelIndex.store(Self.levels.firstIndex(of: newValue) ?? 0, ordering: .relaxed) }
  }

  package var form: Form {
    get { state.withLock { $0.form } }
    set { state.withLock { $0.form = newValue } }
  }

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Since the beginning.
  package var droppedLineCount: Int { state.withLock { $0.droppedCount } }

  /// It goes on where another one stopped: with what that has dropped, and what of it is still to be told.
  func takeDropped(of other: LogSink) {
    let before = other.state.withLock { ($0.droppedCount, $0.untoldCount) }
    state.withLock { state in
      state.droppedCount += before.0
      state.untoldCount += before.1
    }
  }

  func write(_ entry: LogEntry) {
    state.withLock { state in
      if tellOfDropped(&state), canWrite, put(entry, &state) { return }
      state.droppedCount += 1
      state.untoldCount += 1
    }
  }

  /// Whether there is nothing left to tell of what was dropped.
  private func tellOfDropped(_ state: inout State) -> Bool {
    guard state.untoldCount > 0 else { return true }
    let count = state.untoldCount
    let note = LogEntry(
      .warning, "log lines were dropped: nobody took them", ["count": .stringConvertible(count)])
    guard canWrite, put(note, &state) else { return false }
    state.untoldCount = 0
    return true
  }

  private var target: Int32 { own?.descriptor ?? descriptor }

  /// Whether a line is taken without making anybody wait.
  private var canWrite: Bool {
    guard isOpen else { return false }
    var request = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
  }

  /// Whether all of the line was taken.
  private func put(_ entry: LogEntry, _ state: inout State) -> Bool {
    let limitBytes = Self.lineLimitBytes - 1
    var line: [UInt8] = state.isInLine ? [UInt8(ascii: "\n")] : []
    switch state.form {
    case .text: line += TextLogLine.bytes(of: entry, limitBytes: limitBytes)
    case .json: line += JSONLogLine.bytes(of: entry, limitBytes: limitBytes)
    }
    // The array outlives the call, which reads it.
    let count = unsafe line.withUnsafeBytes { unsafe Glibc.write(target, $0.baseAddress, $0.count) }
    if count > 0 { state.isInLine = count < line.count }
    return count == line.count
  }
}
