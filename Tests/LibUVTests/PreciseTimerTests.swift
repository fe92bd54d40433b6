import LibUV
import Testing

@Suite struct PreciseTimerTests {
  private static let millisecond: UInt64 = 1_000_000

  @Test func `a timer fires once`() throws {
    let loop = try EventLoop()
    var fired = 0
    let timer = try PreciseTimer(on: loop) { fired += 1 }
    timer.start(atNanoseconds: PreciseTimer.nowNanoseconds + Self.millisecond)
    run(loop, forMilliseconds: 20)
    #expect(fired == 1)
    timer.close()
  }

  @Test func `a timer that the loop need not wait for fires while it runs, and lets it end`() throws {
    let loop = try EventLoop()
    var fired = 0
    let forgotten = try PreciseTimer(on: loop) { fired += 1 }
    forgotten.letLoopEnd()
    forgotten.start(atNanoseconds: PreciseTimer.nowNanoseconds + Self.millisecond)
    run(loop, forMilliseconds: 20)
    #expect(fired == 1)
    forgotten.start(atNanoseconds: .max)
    // Nothing else is there to wait for.
    loop.run()
    forgotten.close()
  }

  @Test func `a timer never fires before its time`() throws {
    let due = PreciseTimer.nowNanoseconds + 3 * Self.millisecond
    let firedAt = try timeOfFiring(on: EventLoop(), { $0.start(atNanoseconds: due) }) {
      PreciseTimer.nowNanoseconds
    }
    #expect(firedAt >= due)
  }

  @Test(arguments: [0, 5]) func `it is told a time of the loop's as well, be it past`(delay: UInt64) throws {
    let loop = try EventLoop()
    let due = loop.nowMilliseconds + delay
    let firedAt = try timeOfFiring(on: loop, { $0.start(atMilliseconds: due) }) { loop.nowMilliseconds }
    #expect(firedAt >= due)
  }

  private func timeOfFiring(
    on loop: EventLoop, _ start: (PreciseTimer) -> Void, now: @escaping () -> UInt64
  ) throws -> UInt64 {
    var firedAt: UInt64 = 0
    let timer = try PreciseTimer(on: loop) {
      firedAt = now()
      loop.stop()
    }
    start(timer)
    loop.run()
    timer.close()
    return firedAt
  }

  @Test func `starting again moves a timer, and stopping forgets it`() throws {
    let loop = try EventLoop()
    var order: [String] = []
    let moved = try PreciseTimer(on: loop) { order.append("moved") }
    let stopped = try PreciseTimer(on: loop) { order.append("stopped") }
    let fixed = try PreciseTimer(on: loop) { order.append("fixed") }
    let now = loop.nowMilliseconds
    moved.start(atMilliseconds: now + 1)
    stopped.start(atMilliseconds: now + 1)
    fixed.start(atMilliseconds: now + 5)
    moved.start(atMilliseconds: now + 10)
    stopped.stop()
    run(loop, forMilliseconds: 30)
    #expect(order == ["fixed", "moved"])
    for timer in [moved, stopped, fixed] { timer.close() }
  }

  @Test func `a time beyond what there is never comes`() throws {
    let loop = try EventLoop()
    var fired = false
    let timer = try PreciseTimer(on: loop) { fired = true }
    timer.start(atMilliseconds: .max)
    run(loop, forMilliseconds: 5)
    #expect(!fired)
    timer.close()
  }

  private func run(_ loop: EventLoop, forMilliseconds time: UInt64) {
    let end = LoopTimer(on: loop) { loop.stop() }
    end.start(afterMilliseconds: time)
    loop.run()
    end.close()
  }
}
