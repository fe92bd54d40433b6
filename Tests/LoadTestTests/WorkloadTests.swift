import LoadTest
import TaskStore
import Testing

@Suite struct WorkloadTests {
  private func workload(_ choice: Workload.Keys, keys: Int = 100) -> Workload {
    var workload = Workload()
    workload.connections = 4
    workload.keys = keys
    workload.choice = choice
    workload.policies = PolicyMix(parsing: "cancel=3,wait=1")
    workload.sizeBytes = 64...4_096
    workload.cancelShare = 0.25
    workload.seed = 42
    return workload
  }

  private func arrivals(_ workload: Workload, _ count: Int = 20_000) -> [Arrival] {
    var arrivals = Arrivals(workload, .poisson(perSecond: 1_000), warmUpSeconds: 0, seconds: 10)
    return (0..<count).map { _ in arrivals.next() }
  }

  @Test(arguments: ["uniform", "zipf:1.1", "typing"])
  func `the same seed gives the same arrivals, another one others`(choice: String) throws {
    var workload = workload(try #require(Workload.Keys(parsing: choice)))
    let first = arrivals(workload)
    #expect(arrivals(workload) == first)
    workload.seed = 43
    #expect(arrivals(workload) != first)
  }

  @Test func `policies do not change when what is asked`() {
    var workload = workload(.drawn(.uniform))
    let mixed = arrivals(workload)
    workload.policies = PolicyMix(.wait)
    let waiting = arrivals(workload)
    #expect(mixed.map(\.nanoseconds) == waiting.map(\.nanoseconds))
    #expect(mixed.map(\.request.key) == waiting.map(\.request.key))
    #expect(mixed.map(\.request.sizeBytes) == waiting.map(\.request.sizeBytes))
    #expect(waiting.allSatisfy { $0.request.policy == .wait })
  }

  @Test func `shares are what they were asked to be`() {
    let requests = arrivals(workload(.drawn(.uniform))).map(\.request)
    let cancelling = requests.count { $0.policy == .cancel }
    #expect((14_500...15_500).contains(cancelling))
    #expect((4_600...5_400).contains(requests.count { $0.isCancelled }))
    #expect(requests.allSatisfy { (64...4_096).contains($0.sizeBytes) })
    #expect(Set(requests.map(\.key)).count == 100 && Set(requests.map(\.connection)).count == 4)
  }

  @Test func `with zipf the first key is asked for most, in its proportion`() {
    var random = LoadRandom(seed: 5)
    let choice = KeyChoice(.zipf(exponent: 1), count: 10)
    var counts = Array(repeating: 0, count: 10)
    for _ in 0..<100_000 { counts[choice.draw(&random)] += 1 }
    let harmonic = (1...10).reduce(0) { $0 + 1 / Double($1) }
    for rank in 1...10 {
      let expected = 100_000 / (Double(rank) * harmonic)
      #expect(abs(Double(counts[rank - 1]) - expected) < 0.05 * expected + 50)
    }
  }

  @Test func `people type in bursts with pauses between them`() {
    var typists = Typists(count: 1, seed: 9)
    let times = (0..<10_001).map { _ in Double(typists.next().nanoseconds) / 1e6 }
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    let letters = gaps.filter { $0 <= 800 }.sorted()
    let pauses = gaps.filter { $0 > 800 }
    #expect(gaps.allSatisfy { (39...2_501).contains($0) })
    #expect(abs(letters[letters.count / 2] - Typists.letterMilliseconds) < 10)
    #expect((4.0...8.0).contains(Double(gaps.count) / Double(pauses.count)))
    #expect(pauses.allSatisfy { $0 >= 899 })
  }

  @Test func `each key of its own is typed at one connection, shared ones at all`() {
    var workload = workload(.typing, keys: 5)
    let own = arrivals(workload, 1_000).map(\.request)
    #expect(own.allSatisfy { (0..<5).contains($0.key) && (0..<4).contains($0.connection) })
    #expect(Set(own.map { [$0.connection, $0.key] }).count == 20)
    workload.sharesKeys = true
    let shared = arrivals(workload, 1_000).map(\.request)
    #expect(Set(shared.map { [$0.connection, $0.key] }).count == 20)
    #expect(workload.keyCount == 5)
  }

  @Test(arguments: ["", "cancel=0", "cancel=x", "cancel,cancel", "cancle", "cancel=1,", "cancel=1000001"])
  func `what is no mix is none`(text: String) {
    #expect(PolicyMix(parsing: text) == nil)
  }

  @Test(arguments: ["", "zipf", "zipf:", "zipf:0", "zipf:11", "zipf:nan", "random"])
  func `what is no workload is none`(text: String) {
    #expect(Workload.Keys(parsing: text) == nil)
  }

  @Test(arguments: ["echo", "slow:5", "jitter:1..20", "stubborn:3.5", "late:10", "twice:2", "mix"])
  func `a behaviour is read, and says itself the same way`(text: String) throws {
    #expect(try #require(UpstreamBehaviour(parsing: text)).description == text)
  }

  @Test(arguments: [
    "", "echo:1", "mix:1", "slow:", "slow:-1", "slow:x", "slow:3600001", "jitter:2..1", "jitter:1", "bad",
  ])
  func `what is no behaviour is none`(text: String) {
    #expect(UpstreamBehaviour(parsing: text) == nil)
  }
}
