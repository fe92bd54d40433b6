import Testing

@testable import Gateway

@Suite struct TurnClockTests {
  private final class Clock {
    var nanoseconds: UInt64 = 7
    var looks = 0

    func look() -> UInt64 {
      looks += 1
      return nanoseconds
    }
  }

  /// What it says behind each of so many reads.
  private func read(_ count: Int, _ clock: inout TurnClock) -> [Bool] {
    (0..<count).map { _ in
      clock.hasRead(1)
      return clock.isOver
    }
  }

  private let inTime = [Bool](repeating: false, count: TurnClock.readsPerLook)

  @Test func `the time begins with the first look, and is over for the rest of the turn`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 2_000) { time.look() }
    let first = read(TurnClock.readsPerLook, &clock)
    time.nanoseconds += 1_999_999
    let second = read(TurnClock.readsPerLook, &clock)
    time.nanoseconds += 1
    let third = read(TurnClock.readsPerLook + 1, &clock)
    #expect(first == inTime && second == inTime && third == inTime.dropLast() + [true, true])
    clock.renew()
    let next = read(TurnClock.readsPerLook, &clock)
    #expect(next == inTime)
  }

  @Test func `once it is over for twice as long, whatever comes waits`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    _ = read(TurnClock.readsPerLook, &clock)
    var seen: [Bool] = []
    for nanoseconds in [1_000_000, 999_999, 1] as [UInt64] {
      time.nanoseconds += nanoseconds
      _ = read(TurnClock.readsPerLook, &clock)
      seen.append(clock.isLongOver)
    }
    clock.renew()
    #expect(seen == [false, false, true] && !clock.isOver && !clock.isLongOver)
  }

  @Test func `a turn with few reads does without the time`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    for _ in 0..<100 {
      _ = read(TurnClock.readsPerLook - 1, &clock)
      clock.renew()
    }
    #expect(time.looks == 0)
  }

  @Test func `long reads have it looked at sooner, and what is enough ends the turn`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    let isOver = (0..<3).map { _ in
      time.nanoseconds += 600_000
      clock.hasRead(TurnClock.readsPerLook * TurnClock.bytesPerRead)
      return clock.isOver
    }
    #expect(isOver == [false, false, true] && time.looks == 3)
    clock.renew()
    let isOverAnew = read(1, &clock) == [true]
    clock.end()
    let isOverByThat = clock.isOver
    #expect(!isOverAnew && isOverByThat)
  }

  @Test func `behind more than one read a turn looks once more, while there is time`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    var seen: [Bool] = []
    for reads in [1, 1, 1] {
      _ = read(reads, &clock)
      seen.append(clock.looksAgain(unless: false))
    }
    clock.renew()
    for hasMore in [true, false, true] {
      _ = read(2, &clock)
      seen.append(clock.looksAgain(unless: hasMore))
    }
    clock.renew()
    _ = read(TurnClock.readsPerLook, &clock)
    time.nanoseconds += 1_000_000
    seen.append(clock.looksAgain(unless: false))
    #expect(seen == [false, true, false, false, true, false, false])
  }

  @Test func `handshakes have a part of the time, and what else comes all of it`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    clock.hasShakenHands()
    time.nanoseconds += 1_000_000 / TurnClock.handshakePart - 1
    clock.hasShakenHands()
    let isOverEarly = clock.isOver
    time.nanoseconds += 1
    let isOverForReads = read(TurnClock.readsPerLook, &clock).last
    clock.hasShakenHands()
    #expect(!isOverEarly && isOverForReads == false && clock.isOver && !clock.isLongOver)
  }

  @Test func `where the time is over, few answers have time yet, and none where it is long over`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    _ = read(TurnClock.readsPerLook, &clock)
    var hasTime: [[Bool]] = []
    for nanoseconds in [0, 1_000_000, 1_000_000] as [UInt64] {
      time.nanoseconds += nanoseconds
      _ = read(TurnClock.readsPerLook, &clock)
      hasTime.append([4 * 1024, 4 * 1024 + 1].map { clock.hasTime(forAnswers: $0) })
    }
    #expect(hasTime == [[true, true], [true, false], [false, false]])
  }

  @Test func `what is left over has a time of its own`() {
    let time = Clock()
    var clock = TurnClock(limitMicroseconds: 1_000) { time.look() }
    clock.beginLeftOver()
    time.nanoseconds += 1_000_000 / TurnClock.leftOverPart - 1
    let isPastEarly = clock.isPast
    time.nanoseconds += 1
    let isPast = clock.isPast
    #expect(!isPastEarly && isPast)
  }
}
