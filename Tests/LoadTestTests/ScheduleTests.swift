import LoadTest
import Testing

@Suite struct ScheduleTests {
  /// How many arrivals each of so many seconds has.
  private func perSecond(
    _ text: String, seconds: Int, warmUpSeconds: Double = 0, of total: Double = 10
  ) throws -> [Int] {
    let schedule = try #require(Schedule(parsing: text))
    var clock = ScheduleClock(schedule, warmUpSeconds: warmUpSeconds, seconds: total, seed: 3)
    var counts = Array(repeating: 0, count: seconds)
    var last: UInt64 = 0
    while true {
      let time = clock.next()
      #expect(time >= last)
      last = time
      let second = Int(time / 1_000_000_000)
      guard second < seconds else { return counts }
      counts[second] += 1
    }
  }

  @Test(arguments: ["1000", "constant:1000", "linear:100..5000", "poisson:250", "step:10,20,30@2"])
  func `a schedule is read, and says itself the same way`(text: String) throws {
    let schedule = try #require(Schedule(parsing: text))
    #expect(Schedule(parsing: schedule.description) == schedule)
  }

  @Test(arguments: [
    "", "x", "0", "-1", "1e9", "nan", "inf", "constant:", "constant:0", "linear:1", "linear:1..",
    "linear:1..2..3",
    "step:1,2", "step:@1", "step:1,,2@1", "step:1@0", "poisson:0", "wave:3", ":1",
  ])
  func `what is no schedule is none`(text: String) {
    #expect(Schedule(parsing: text) == nil)
  }

  @Test func `constant means evenly`() throws {
    var clock = ScheduleClock(.constant(perSecond: 4), warmUpSeconds: 0, seconds: 1, seed: 1)
    #expect((0..<5).map { _ in clock.next() } == [0, 250_000_000, 500_000_000, 750_000_000, 1_000_000_000])
  }

  @Test func `steps have their rates, and the last one stays`() throws {
    #expect(try perSecond("step:10,40,20@2", seconds: 8) == [10, 10, 40, 40, 20, 20, 20, 20])
  }

  @Test func `linear rises evenly and stays where it ends`() throws {
    let counts = try perSecond("linear:100..200", seconds: 12)
    for second in 0..<10 { #expect(abs(counts[second] - (105 + 10 * second)) <= 1) }
    #expect(abs(counts[10] - 200) <= 1 && abs(counts[11] - 200) <= 1)
  }

  @Test func `linear may fall`() throws {
    let counts = try perSecond("linear:200..1", seconds: 10)
    #expect(counts == counts.sorted(by: >))
    #expect(abs(counts.reduce(0, +) - 1_005) <= 2)
  }

  @Test func `the warm-up has the first rate and comes before`() throws {
    #expect(try perSecond("step:10,30@1", seconds: 5, warmUpSeconds: 2) == [10, 10, 10, 30, 30])
  }

  @Test func `poisson arrivals have their mean, and as much variance`() throws {
    let counts = try perSecond("poisson:100", seconds: 1_000).map(Double.init)
    let mean = counts.reduce(0, +) / 1_000
    let variance = counts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 1_000
    #expect(abs(mean - 100) < 2)
    #expect(abs(variance - 100) < 20)
  }
}
