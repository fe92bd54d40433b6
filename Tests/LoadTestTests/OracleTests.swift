import LoadTest
import TaskStore
import Testing

/// What the oracle says of replies on one connection, and on several.
@Suite struct OracleTests {
  /// Requests 1, 2, 3 and so on of one key, each on its connection and with its policy.
  private func oracle(
    _ policies: [DuplicatePolicy?], connections: [Int]? = nil, sharesKeys: Bool = false
  ) -> LoadOracle {
    var oracle = LoadOracle(
      connections: 1 + (connections?.max() ?? 0), keys: 1, sharesKeys: sharesKeys)
    for (index, policy) in policies.enumerated() {
      oracle.sent(
        OpenRequest(
          number: UInt64(index + 1), connection: connections?[index] ?? 0, key: 0, policy: policy))
    }
    return oracle
  }

  private func result(_ number: UInt64, arrival: UInt64? = nil, newest: UInt64? = nil) -> OracleReply {
    .result(ResultClaims(number: number, arrival: arrival, newest: newest))
  }

  @Test(arguments: [DuplicatePolicy.cancel, .cancelAndWait])
  func `a result is stale once a newer request of the connection was answered`(policy: DuplicatePolicy) {
    var oracle = oracle([policy, policy])
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .stale(number: 1, newer: 2))
  }

  @Test func `an older result may come while it is not known whether the newer request was admitted`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
  }

  @Test func `what was sent between two requests was admitted when the later was answered`() {
    var oracle = LoadOracle(connections: 1, keys: 2)
    for (number, key) in [(UInt64(1), 0), (2, 0), (3, 1)] {
      oracle.sent(OpenRequest(number: number, connection: 0, key: key, policy: .cancel))
    }
    #expect(oracle.received(result(3), to: 3, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .stale(number: 1, newer: 2))
  }

  @Test func `with several loops what is answered of one key says nothing of another`() {
    var oracle = LoadOracle(connections: 1, keys: 2, ordersKeys: false)
    for (number, key) in [(UInt64(1), 0), (2, 0), (3, 1), (4, 1), (5, 1)] {
      oracle.sent(OpenRequest(number: number, connection: 0, key: key, policy: .cancel))
    }
    #expect(oracle.received(result(4), to: 4, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
    #expect(oracle.received(result(3), to: 3, on: 0) == .stale(number: 3, newer: 4))
  }

  @Test func `what the client's own loop refuses says nothing of what another has admitted`() {
    var oracle = LoadOracle(connections: 1, keys: 1, ordersKeys: false)
    for number in 1...3 as ClosedRange<UInt64> {
      oracle.sent(OpenRequest(number: number, connection: 0, key: 0, policy: .cancel))
    }
    #expect(oracle.received(.refused, to: 3, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
    for number in 4...5 as ClosedRange<UInt64> {
      oracle.sent(OpenRequest(number: number, connection: 0, key: 0, policy: .cancel))
    }
    #expect(oracle.received(result(5), to: 5, on: 0) == nil)
    #expect(oracle.received(result(2), to: 2, on: 0) == .stale(number: 2, newer: 5))
  }

  @Test func `a request that was refused superseded nothing`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(.refused, to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `a request that failed superseded what was before it`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(.failed, to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .stale(number: 1, newer: 2))
  }

  @Test func `one that was superseded superseded others before`() {
    var oracle = oracle([.wait, .cancel, .cancel])
    #expect(oracle.received(.superseded, to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .stale(number: 1, newer: 2))
  }

  @Test func `keys know nothing of each other`() {
    var oracle = LoadOracle(connections: 1, keys: 2)
    oracle.sent(OpenRequest(number: 1, connection: 0, key: 0, policy: .cancel))
    oracle.sent(OpenRequest(number: 2, connection: 0, key: 1, policy: .cancel))
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(.superseded, to: 1, on: 0) == .supersededByNothing(number: 1))
  }

  @Test(arguments: [DuplicatePolicy.wait, .keepLatest])
  func `what waits is delivered in order`(policy: DuplicatePolicy) {
    var oracle = oracle([policy, policy])
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .outOfOrder(number: 1, after: 2))
  }

  @Test func `what waits is delivered after everything earlier, of whatever policy`() {
    var oracle = oracle([.concurrent, .wait])
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .outOfOrder(number: 1, after: 2))
  }

  @Test func `under onAnswer a result supersedes what is older, an error does not`() {
    var oracle = oracle([.onAnswer, .onAnswer, .onAnswer])
    #expect(oracle.received(.failed, to: 3, on: 0) == nil)
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .stale(number: 1, newer: 2))
  }

  @Test func `concurrent results come as they like`() {
    var oracle = oracle([.concurrent, .concurrent])
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `every request is answered once`() {
    var oracle = oracle([.cancel])
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == .unexpectedReply(number: 1))
    #expect(oracle.received(result(7), to: 7, on: 0) == .unexpectedReply(number: 7))
    #expect(oracle.open.count == 0)
  }

  @Test func `a reply on another connection is nobody's, and the request stays open`() {
    var oracle = oracle([.cancel, .cancel], connections: [0, 1])
    #expect(oracle.received(result(1), to: 1, on: 1) == .unexpectedReply(number: 1))
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `the result of another request is noticed`() {
    var oracle = oracle([.concurrent, .concurrent])
    #expect(oracle.received(result(2), to: 1, on: 0) == .wrongAnswer(number: 1))
  }

  @Test func `a result is stale if upstream knew of a newer request, whoever sent that`() {
    var oracle = oracle([.cancel, .cancel], connections: [0, 1], sharesKeys: true)
    #expect(oracle.received(result(2, arrival: 2, newest: 2), to: 2, on: 1) == nil)
    let reply = result(1, arrival: 1, newest: 2)
    #expect(oracle.received(reply, to: 1, on: 0) == .overtaken(number: 1, arrival: 1, newest: 2))
  }

  @Test func `connections have no order by themselves`() {
    var oracle = oracle([.cancel, .cancel], connections: [0, 1], sharesKeys: true)
    #expect(oracle.received(result(2), to: 2, on: 1) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `the newer request of a shared key may have been sent before`() {
    var oracle = oracle([.cancel, .cancel], connections: [0, 1], sharesKeys: true)
    #expect(oracle.received(.superseded, to: 2, on: 1) == nil)
  }

  @Test func `nothing supersedes the only request of a shared key`() {
    var oracle = oracle([.cancel], sharesKeys: true)
    #expect(oracle.received(.superseded, to: 1, on: 0) == .supersededByNothing(number: 1))
  }

  @Test(arguments: [
    (DuplicatePolicy.wait, false), (.concurrent, false), (.keepLatest, true), (.cancel, true),
  ])
  func `only some policies take a waiting keepLatest's place`(newer: DuplicatePolicy, may: Bool) {
    var oracle = oracle([.keepLatest, newer])
    let violation = oracle.received(.superseded, to: 1, on: 0)
    #expect(violation == (may ? nil : .supersededByNothing(number: 1)))
  }

  @Test func `a request may be cancelled by its client, and else by what supersedes it`() {
    var oracle = oracle([.wait, .wait])
    #expect(oracle.cancelled(1, on: 0) == true)
    #expect(oracle.received(.cancelled, to: 1, on: 0) == nil)
    #expect(oracle.received(.cancelled, to: 2, on: 0) == .supersededByNothing(number: 2))
    #expect(oracle.cancelled(1, on: 0) == false)
  }

  @Test func `a result may cross the cancel, but not come after a later request's answer`() {
    for isLate in [false, true] {
      var oracle = oracle([.concurrent])
      #expect(oracle.cancelled(1, on: 0) == true)
      oracle.sent(OpenRequest(number: 2, connection: 0, key: 0, policy: .concurrent))
      if isLate { #expect(oracle.received(result(2), to: 2, on: 0) == nil) }
      #expect(oracle.received(result(1), to: 1, on: 0) == (isLate ? .deliveredAfterCancel(number: 1) : nil))
    }
  }

  @Test func `who begins anew is owed nothing, and knows no order with what was before`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.beganAnew(0) == 2)
    oracle.sent(OpenRequest(number: 3, connection: 0, key: 0, policy: .wait))
    #expect(oracle.received(result(1), to: 1, on: 0) == .unexpectedReply(number: 1))
    #expect(oracle.received(.superseded, to: 3, on: 0) == nil)
  }

  @Test func `it is known when a request was superseded`() {
    var oracle = LoadOracle(connections: 1, keys: 1)
    for number in UInt64(1)...3 {
      oracle.sent(
        OpenRequest(number: number, connection: 0, key: 0, policy: .cancel, sentNanoseconds: number * 10))
    }
    let superseded = (UInt64(1)...3).map { oracle.take($0, on: 0)?.supersededNanoseconds }
    #expect(superseded == [20, 30, 0])
  }
}
