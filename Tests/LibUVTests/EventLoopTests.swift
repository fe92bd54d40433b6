import LibUV
import Testing

@Suite struct EventLoopTests {
  @Test func `a loop with nothing on it ends at once and can go`() throws {
    weak var gone: EventLoop?
    do {
      let loop = try EventLoop()
      gone = loop
      loop.run()
    }
    #expect(gone == nil)
  }

  @Test func `a loop goes once everything on it is closed`() throws {
    weak var gone: EventLoop?
    do {
      let scene = try Scene()
      gone = scene.loop
      let listener = try scene.listen { [unowned scene] in scene.hear($0) }
      scene.connect(to: listener.address) { [unowned scene] stream in
        scene.hear(stream)
        scene.end()
      }
      scene.run()
    }
    #expect(gone == nil)
  }

  @Test func `a loop can go when things were closed but it never ran again`() throws {
    weak var gone: EventLoop?
    do {
      let loop = try EventLoop()
      gone = loop
      let timer = LoopTimer(on: loop) {}
      timer.start(afterMilliseconds: 60_000)
      timer.close()
      ByteStream.connect(to: .anyLoopbackPort, on: loop) { _ in }.cancel()
    }
    #expect(gone == nil)
  }

  @Test func `a handle that nobody closed does not let its loop go`() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      _ = LoopTimer(on: loop) {}
    }
  }

  @Test(arguments: [true, false])
  func `what a turn has taken is what its input and its timers have`(isInput: Bool) throws {
    let scene = try Scene()
    scene.loop.measureTurns()
    var longest: UInt64 = 0
    let name = scene.loop.addTurnEnd { longest = max(longest, scene.loop.turnMilliseconds) }
    let work = {
      let end = PreciseTimer.nowNanoseconds + 30_000_000
      while PreciseTimer.nowNanoseconds < end {}
    }
    var timer: LoopTimer?
    if isInput {
      let listener = try scene.listen { [unowned scene] stream in
        work()
        scene.hear(stream)
      }
      scene.connect(to: listener.address) { [unowned scene] in scene.hear($0) }
    }
    timer = LoopTimer(on: scene.loop) { [unowned scene] in
      if !isInput { work() }
      timer?.close()
      scene.end()
    }
    timer?.start(afterMilliseconds: 200)
    scene.run()
    // The clock of the loop is up to a millisecond behind.
    #expect(longest >= 29)
    scene.loop.removeTurnEnd(name)
  }

  @Test func `a turn ends after timers too, before the loop waits`() throws {
    let loop = try EventLoop()
    var story: [String] = []
    let name = loop.addTurnEnd { if !story.isEmpty && story.last != "end" { story.append("end") } }
    let timers = ["first", "second"].map { name in LoopTimer(on: loop) { story.append(name) } }
    timers[0].start(afterMilliseconds: 1)
    timers[1].start(afterMilliseconds: 20)
    loop.run()
    #expect(story == ["first", "end", "second", "end"])
    for timer in timers { timer.close() }
    loop.removeTurnEnd(name)
    loop.run()
    #expect(story.count == 4)
  }

  @Test func `what was removed from a turn's end no longer runs, not even in that turn`() throws {
    let loop = try EventLoop()
    var heard: [String] = []
    var second: EventLoop.TurnEnd?
    let first = loop.addTurnEnd {
      heard.append("first")
      second.map(loop.removeTurnEnd)
    }
    second = loop.addTurnEnd { heard.append("second") }
    let timer = LoopTimer(on: loop) {}
    timer.start(afterMilliseconds: 0)
    loop.run()
    timer.close()
    loop.removeTurnEnd(first)
    #expect(!heard.isEmpty && !heard.contains("second"))
  }

  @Test func `stop ends a run that could go on`() throws {
    let loop = try EventLoop()
    let never = LoopTimer(on: loop) {}
    never.start(afterMilliseconds: 3_600_000)
    let soon = LoopTimer(on: loop) { loop.stop() }
    soon.start(afterMilliseconds: 1)
    loop.run()
    never.close()
    soon.close()
  }

  @Test func `the time never runs backwards`() throws {
    let loop = try EventLoop()
    let before = loop.nowMilliseconds
    loop.updateTime()
    #expect(loop.nowMilliseconds >= before)
  }

  @Test func `as many descriptors as allowed can be had`() {
    let limit = DescriptorLimit.raise()
    #expect(limit > 0)
    #expect(DescriptorLimit.raise() == limit)
  }

  @Test func `an error has a name`() {
    #expect(UVError(code: -111).name == "ECONNREFUSED")
    #expect("\(UVError(code: -111))" == "ECONNREFUSED: connection refused")
  }
}
