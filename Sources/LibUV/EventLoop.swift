import CLibUV
import Glibc

/// One libuv loop. Everything made from it belongs to the thread that calls `run()`.
package final class EventLoop {
  /// Bytes that may be read behind what a stream received: the scanner's wide loads end there.
  package static let slackByteCount = 64
  /// Bytes of the one buffer that all streams read into.
  static let readBufferBytes = 64 * 1024

  /// Names a closure that runs at the end of every turn.
  package struct TurnEnd: Hashable { let number: Int }

  let raw: UnsafeMutablePointer<uv_loop_t>
  let readBuffer: UnsafeMutablePointer<UInt8>
  private let check: UnsafeMutablePointer<uv_check_t>
  private let prepare: UnsafeMutablePointer<uv_prepare_t>
  private var turnEnds: [(TurnEnd, () -> Void)] = []
  private var lastTurnEnd = 0
  /// Counts turns, so that a stream knows when a new one began.
  private(set) var turn: UInt64 = 0
  /// Streams that had their share of this turn and read on in the next.
  var rested: [ByteStream] = []

  package init() throws(UVError) {
    raw = .allocate(capacity: 1)
    let status = uv_loop_init(raw)
    guard status == 0 else {
      raw.deallocate()
      throw UVError(code: status)
    }
    let bytes = Self.readBufferBytes + Self.slackByteCount
    readBuffer = .allocate(capacity: bytes)
    readBuffer.initialize(repeating: 0, count: bytes)
    check = .allocate(capacity: 1)
    prepare = .allocate(capacity: 1)
    startTurnHandles()
  }

  /// Output is due after I/O (check), and again before the loop blocks (prepare), for what timers produced.
  /// Neither keeps the loop alive.
  private func startTurnHandles() {
    uv_check_init(raw, check)
    uv_prepare_init(raw, prepare)
    check.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    prepare.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    uv_check_start(check) { handle in
      let loop: EventLoop = owner(of: handle)
      loop.turn &+= 1
      loop.resumeRested()
      loop.endTurn()
    }
    uv_prepare_start(prepare) { owner(of: $0, as: EventLoop.self).endTurn() }
    uv_unref(cast(check))
    uv_unref(cast(prepare))
  }

  deinit {
    uv_close(cast(check)) { UnsafeMutableRawPointer($0!).deallocate() }
    uv_close(cast(prepare)) { UnsafeMutableRawPointer($0!).deallocate() }
    uv_run(raw, UV_RUN_NOWAIT)
    let status = uv_loop_close(raw)
    precondition(status == 0, "a handle outlived its loop")
    raw.deallocate()
    readBuffer.deallocate()
  }

  /// Runs until no handle is open, or until `stop()`.
  package func run() { uv_run(raw, UV_RUN_DEFAULT) }
  package func stop() { uv_stop(raw) }

  /// Milliseconds of a monotonic clock, as they were when this turn's I/O came.
  package var nowMilliseconds: UInt64 { uv_now(raw) }
  package func updateTime() { uv_update_time(raw) }

  // MARK: The end of a turn

  package func addTurnEnd(_ body: @escaping () -> Void) -> TurnEnd {
    lastTurnEnd += 1
    let name = TurnEnd(number: lastTurnEnd)
    turnEnds.append((name, body))
    return name
  }

  package func removeTurnEnd(_ name: TurnEnd) { turnEnds.removeAll { $0.0 == name } }

  private func endTurn() {
    for (_, body) in turnEnds { body() }
  }

  private func resumeRested() {
    guard !rested.isEmpty else { return }
    let streams = rested
    rested.removeAll(keepingCapacity: true)
    for stream in streams { stream.resume() }
  }

  /// A write to a peer that is gone must be an error, not the end of the process.
  package static func ignoreSIGPIPE() { signal(SIGPIPE, SIG_IGN) }
}

@available(*, unavailable)
extension EventLoop: Sendable {}
