import CLibUV
import Glibc

/// One libuv loop. All objects on it may be used only on the thread that calls `run()`.
package final class EventLoop {
  /// The most that one read delivers.
  package static let readBufferBytes = 64 * 1024
  /// Readable bytes behind the input of every read, for scanners that load wide words.
  package static let slackByteCount = 64
  package static let defaultTurnBytes = 256 * 1024
  /// One read at least; libuv itself goes on after so many reads of one connection.
  package static let turnBytesRange = readBufferBytes...32 * readBufferBytes

  let raw: UnsafeMutablePointer<uv_loop_t>
  let reading: UnsafeMutablePointer<LoopReading>
  /// The most bytes that are read from one connection before others get their turn.
  package var turnBytes: Int {
    get { reading.pointee.turnBytes }
    set {
      precondition(EventLoop.turnBytesRange.contains(newValue), "one read does not fit into a turn")
      reading.pointee.turnBytes = newValue
    }
  }
  /// Bytes that this loop's counted streams have accepted but not handed to the kernel.
  package var inFlightBytes: Int { countedInFlightBytes }
  @exclusivity(unchecked) var countedInFlightBytes = 0
  private let hooks = TurnHooks()
  /// How long the input of this turn took, if turns are measured.
  @exclusivity(unchecked) private var inputMilliseconds: UInt64 = 0
  private var isStopping = false
  @exclusivity(unchecked) private var deferred: [any TurnEndWork] = []
  private var running: [any TurnEndWork] = []

  private let nothing = NoWork()
  private(set) lazy var pollTurns = PollTurns(on: self)
  /// When the last child was started.
  var childStartMilliseconds: UInt64?

  /// Identifies work that was added with `addTurnEnd`.
  package struct TurnEnd: Hashable { fileprivate let number: Int }

  /// Work at the end of each turn. It is called without being retained, so one that is removed meanwhile is kept until
  /// the turn has ended.
  private final class Body {
    let name: TurnEnd
    let run: () -> Void

    init(name: TurnEnd, run: @escaping () -> Void) {
      self.name = name
      self.run = run
    }
  }

  @exclusivity(unchecked) private var turnEnds: [Body] = []
  @exclusivity(unchecked) private var removedTurnEnds: [Body] = []
  @exclusivity(unchecked) private var isEndingTurn = false
  /// The element of `turnEnds`, if there is exactly one.
  @exclusivity(unchecked) private var only: Unmanaged<Body>?
  private var turnEndsSoFar = 0

  package init() throws(UVError) {
    raw = .allocate(capacity: 1)
    let status = uv_loop_init(raw)
    guard status == 0 else {
      raw.deallocate()
      hooks.deallocate()
      throw UVError(code: status)
    }
    // Allocated last: if `init` throws before, `deinit` does not run, and would not free it.
    reading = .allocate(capacity: 1)
    reading.initialize(to: LoopReading())
    raw.pointee.data = UnsafeMutableRawPointer(reading)
    hooks.start(for: self)
  }

  deinit {
    hooks.close()
    // Only close callbacks are left to run; a handle that is still open is a bug, met just below.
    if everyHandleIsClosing {
      // A stop in the end of the last turn ends the first of these runs at once.
      while uv_run(raw, UV_RUN_DEFAULT) != 0 {}
    }
    precondition(uv_loop_close(raw) == 0, "a handle outlived its loop")
    raw.deallocate()
    hooks.deallocate()
    reading.pointee.buffer.deallocate()
    reading.deallocate()
  }

  /// Runs until no active handle is left, or `stop()`.
  package func run() {
    // A turn ends before the loop blocks, and the last one never does.
    repeat {
      uv_run(raw, UV_RUN_DEFAULT)
      turnEnded()
    } while !isStopping && uv_loop_alive(raw) != 0
    isStopping = false
  }

  /// Makes `run()` return at the end of this turn.
  package func stop() {
    isStopping = true
    uv_stop(raw)
  }

  /// The monotonic time at which the loop last had input or turned to its timers, or of the last `updateTime()`.
  package var nowMilliseconds: UInt64 { uv_now(raw) }

  /// Starts measuring how long turns last.
  package func measureTurns() { hooks.measureInput() }

  /// How long this turn has lasted, in whole milliseconds, and so how late timers may be. To be read at the end of a
  /// turn, on a loop that measures turns.
  package var turnMilliseconds: UInt64 { inputMilliseconds + sinceUpdate }

  /// The time of the loop is updated behind the wait for input, and again before timers and the turn's end.
  private var sinceUpdate: UInt64 {
    let now = uv_hrtime() / 1_000_000
    return now - min(now, nowMilliseconds)
  }

  func inputIsOver() { inputMilliseconds = sinceUpdate }

  /// A clock without jumps, whether or not a loop runs.
  package static var preciseNanoseconds: UInt64 { uv_hrtime() }

  package func updateTime() { uv_update_time(raw) }

  /// Runs `body` at the end of each turn, after its I/O and timers and before the loop blocks, until it is removed.
  package func addTurnEnd(_ body: @escaping () -> Void) -> TurnEnd {
    turnEndsSoFar += 1
    let name = TurnEnd(number: turnEndsSoFar)
    turnEnds.append(Body(name: name, run: body))
    only = turnEnds.count == 1 ? Unmanaged.passUnretained(turnEnds[0]) : nil
    return name
  }

  /// Stops reading in this turn from clients that send much; clients that were not read from go first in the next.
  package func readLess() { reading.pointee.round.endEarly() }

  /// Stops reading from all clients in this turn.
  package func readNothing() { reading.pointee.round.endAtOnce() }

  /// Makes the next turn begin without blocking.
  package func turnAgain() { atTurnEnd(nothing) }

  package func removeTurnEnd(_ name: TurnEnd) {
    guard let place = turnEnds.firstIndex(where: { $0.name == name }) else { return }
    let body = turnEnds.remove(at: place)
    if isEndingTurn { removedTurnEnds.append(body) }
    only = turnEnds.count == 1 ? Unmanaged.passUnretained(turnEnds[0]) : nil
  }

  /// Without this a write to a connection that the peer has closed ends the process.
  package static func ignoreSIGPIPE() { signal(SIGPIPE, SIG_IGN) }

  private var everyHandleIsClosing: Bool {
    var result = true
    uv_walk(
      raw,
      { handle, result in
        if uv_is_closing(handle) == 0 { result!.assumingMemoryBound(to: Bool.self).pointee = false }
      }, &result)
    return result
  }
}

/// Does nothing; it only makes the loop turn again.
private final class NoWork: TurnEndWork {
  func turnEnded() {}
}

@available(*, unavailable)
extension NoWork: Sendable {}

extension EventLoop {
  /// Calls `work.turnEnded()` once, at the end of this turn, or of the next when this one is ending already.
  func atTurnEnd(_ work: any TurnEndWork) {
    if deferred.isEmpty { hooks.keepTurning() }
    deferred.append(work)
  }

  func turnEnded() {
    reading.pointee.round.turnEnded()
    // Deferred work goes first, so that its outcome (a lost connection, say) still counts for this turn's output.
    if !deferred.isEmpty { runDeferred() }
    isEndingTurn = true
    if let only { only._withUnsafeGuaranteedRef { $0.run() } } else { runTurnEnds() }
    isEndingTurn = false
    if !removedTurnEnds.isEmpty { removedTurnEnds = [] }
    inputMilliseconds = 0
  }

  @inline(never)
  private func runTurnEnds() {
    // One of them may remove another, whose body must not run any more.
    for body in turnEnds where turnEnds.contains(where: { $0.name == body.name }) { body.run() }
  }

  /// Work that is added meanwhile waits for the next turn, else it could keep this one from ending.
  private func runDeferred() {
    swap(&deferred, &running)
    for work in running { work.turnEnded() }
    running.removeAll(keepingCapacity: true)
    if deferred.isEmpty { hooks.mayBlock() }
  }
}

@available(*, unavailable)
extension EventLoop: Sendable {}
