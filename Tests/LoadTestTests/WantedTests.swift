import LoadTest
import TaskStore
import Testing

/// Since when a request is not wanted any more, as the client sees it.
@Suite struct WantedTests {
  /// Requests 1, 2, 3 and so on of one key, each sent as many nanoseconds after the start as its number.
  private func oracle(_ policies: [DuplicatePolicy?], connections: [Int]? = nil) -> LoadOracle {
    var oracle = LoadOracle(
      connections: 1 + (connections?.max() ?? 0), keys: 1, sharesKeys: connections != nil)
    for (index, policy) in policies.enumerated() {
      oracle.sent(
        OpenRequest(
          number: UInt64(index + 1), connection: connections?[index] ?? 0, key: 0, policy: policy,
          sentNanoseconds: UInt64(index + 1)))
    }
    return oracle
  }

  @Test(arguments: [DuplicatePolicy.cancel, .cancelAndWait])
  func `one request supersedes all that are open before it`(policy: DuplicatePolicy) {
    var oracle = oracle([.concurrent, .wait, .onAnswer, .keepLatest, policy])
    for number in 1...4 as ClosedRange<UInt64> {
      #expect(oracle.end(number, on: 0) == 5)
    }
    #expect(oracle.end(5, on: 0) == 0)
  }

  @Test func `the first that supersedes a request is the one`() {
    var oracle = oracle([.concurrent, .cancel, .cancel, .cancel])
    for number in 1...3 as ClosedRange<UInt64> { #expect(oracle.end(number, on: 0) == number + 1) }
  }

  @Test(arguments: [DuplicatePolicy.wait, .concurrent, .preferPrevious, .keepLatest, .onAnswer])
  func `what supersedes nothing that runs makes nothing unwanted`(policy: DuplicatePolicy) {
    var oracle = oracle([.cancel, policy])
    #expect(oracle.end(1, on: 0) == 0)
  }

  @Test func `requests that were answered in between are not missed`() {
    var oracle = oracle([.concurrent, .concurrent, .concurrent, .concurrent, .concurrent])
    for number in [3, 5, 1] as [UInt64] { #expect(oracle.end(number, on: 0) == 0) }
    oracle.sent(OpenRequest(number: 6, connection: 0, key: 0, policy: .cancel, sentNanoseconds: 6))
    #expect(oracle.end(2, on: 0) == 6)
    #expect(oracle.end(4, on: 0) == 6)
  }

  @Test func `connections supersede each other's requests of a key they share`() {
    var oracle = oracle([.concurrent, .concurrent, .cancel], connections: [0, 1, 2])
    #expect(oracle.end(1, on: 0) == 3)
    #expect(oracle.end(2, on: 1) == 3)
  }

  @Test func `one that was refused leaves it open when its elders were superseded`() {
    var oracle = oracle([.concurrent, .cancel, .cancel])
    #expect(oracle.received(.refused, to: 2, on: 0) == nil)
    #expect(oracle.end(1, on: 0) == 0)
    #expect(oracle.end(3, on: 0) == 0)
  }

  @Test func `one of a connection that the client ended may never have been admitted`() {
    var oracle = oracle([.concurrent, .concurrent, .cancel], connections: [0, 1, 1])
    #expect(oracle.beganAnew(1) == 2)
    #expect(oracle.end(1, on: 0) == 0)
  }

  @Test func `what a connection leaves behind is no gap between others' requests`() {
    let mine: [DuplicatePolicy?] = Array(repeating: .concurrent, count: 6)
    var oracle = oracle(mine, connections: [0, 1, 1, 0, 1, 0])
    #expect(oracle.beganAnew(1) == 3)
    oracle.sent(OpenRequest(number: 7, connection: 0, key: 0, policy: .cancel, sentNanoseconds: 7))
    for number in [1, 4, 6] as [UInt64] { #expect(oracle.end(number, on: 0) == 7) }
  }

  @Test func `a request without a key is wanted whatever comes`() {
    var oracle = oracle([nil, .cancel])
    #expect(oracle.end(1, on: 0) == 0)
  }

  @Test func `the client knows when it took a request back`() {
    var oracle = oracle([.wait])
    #expect(oracle.cancelled(1, on: 0, at: 9) == true)
    let request = oracle.take(1, on: 0)
    #expect(request?.cancelledNanoseconds == 9)
  }
}

extension LoadOracle {
  /// Takes a request, and says when the one was sent that superseded it; 0: none was, as far as it is known.
  fileprivate mutating func end(_ number: UInt64, on connection: Int) -> UInt64? {
    take(number, on: connection)?.supersededNanoseconds
  }
}
