import LibUV
import Testing

@Suite struct LoopTimerTests {
  @Test func `a timer fires once and lets the loop end`() throws {
    let loop = try EventLoop()
    var fired = 0
    let timer = LoopTimer(on: loop) { fired += 1 }
    timer.start(afterMilliseconds: 1)
    loop.run()
    #expect(fired == 1)
    timer.close()
  }

  @Test func `timers fire in the order of their times`() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    let delays: [UInt64] = [9, 1, 5]
    let timers = delays.indices.map { index in LoopTimer(on: loop) { order.append(index) } }
    for (timer, delay) in zip(timers, delays) { timer.start(afterMilliseconds: delay) }
    loop.run()
    #expect(order == [1, 2, 0])
    for timer in timers { timer.close() }
  }

  @Test func `timers due at the same time fire in the order of their starts`() throws {
    let loop = try EventLoop()
    var order: [Int] = []
    let timers = (0..<4).map { index in LoopTimer(on: loop) { order.append(index) } }
    let due = loop.nowMilliseconds + 2
    for index in [2, 0, 3, 1] { timers[index].start(atMilliseconds: due) }
    loop.run()
    #expect(order == [2, 0, 3, 1])
    for timer in timers { timer.close() }
  }

  @Test func `a timer for a moment that has passed fires at once`() throws {
    let loop = try EventLoop()
    let before = loop.nowMilliseconds
    var fired = false
    let timer = LoopTimer(on: loop) { fired = true }
    timer.start(atMilliseconds: before > 5 ? before - 5 : 0)
    loop.run()
    #expect(fired)
    timer.close()
  }

  @Test func `a timer never fires before its time`() throws {
    let loop = try EventLoop()
    let due = loop.nowMilliseconds + 3
    var firedAt: UInt64 = 0
    let timer = LoopTimer(on: loop) { firedAt = loop.nowMilliseconds }
    timer.start(atMilliseconds: due)
    loop.run()
    #expect(firedAt >= due)
    timer.close()
  }

  @Test func `starting again moves a timer`() throws {
    let loop = try EventLoop()
    var order: [String] = []
    let moved = LoopTimer(on: loop) { order.append("moved") }
    let other = LoopTimer(on: loop) { order.append("other") }
    moved.start(afterMilliseconds: 1)
    other.start(afterMilliseconds: 2)
    moved.start(afterMilliseconds: 4)
    loop.run()
    #expect(order == ["other", "moved"])
    moved.close()
    other.close()
  }

  @Test func `a stopped timer does not fire`() throws {
    let loop = try EventLoop()
    var fired = false
    let timer = LoopTimer(on: loop) { fired = true }
    timer.start(afterMilliseconds: 1)
    timer.stop()
    let later = LoopTimer(on: loop) {}
    later.start(afterMilliseconds: 3)
    loop.run()
    #expect(!fired)
    timer.close()
    later.close()
  }

  @Test func `a closed timer can be told anything`() throws {
    let loop = try EventLoop()
    var fired = false
    let timer = LoopTimer(on: loop) { fired = true }
    timer.close()
    loop.run()
    timer.close()
    timer.start(afterMilliseconds: 0)
    timer.start(atMilliseconds: 0)
    timer.stop()
    loop.run()
    #expect(!fired)
  }

  @Test func `a timer that starts itself again for no time does not keep a turn from ending`() throws {
    let loop = try EventLoop()
    var (fired, turns) = (0, 0)
    var firedByTurn: [Int] = []
    var again: LoopTimer?
    let timer = LoopTimer(on: loop) {
      fired += 1
      if fired < 100 { again?.start(afterMilliseconds: 0) }
    }
    again = timer
    let turnEnd = loop.addTurnEnd {
      turns += 1
      firedByTurn.append(fired)
    }
    timer.start(afterMilliseconds: 0)
    loop.run()
    #expect(fired == 100 && turns >= 100)
    #expect(zip(firedByTurn, firedByTurn.dropFirst()).allSatisfy { $1 - $0 <= 1 })
    loop.removeTurnEnd(turnEnd)
    timer.close()
  }

  @Test func `what was started so can be stopped, or moved, before it fires`() throws {
    let loop = try EventLoop()
    var fired = 0
    var again: LoopTimer?
    let timer = LoopTimer(on: loop) {
      fired += 1
      again?.start(afterMilliseconds: 0)
      if fired == 1 { again?.start(afterMilliseconds: 1) } else { again?.stop() }
    }
    again = timer
    timer.start(afterMilliseconds: 0)
    loop.run()
    #expect(fired == 2)
    timer.close()
  }
}
