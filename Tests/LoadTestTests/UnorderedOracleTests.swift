import LoadTest
import TaskStore
import Testing

/// What the oracle says where a connection's requests have no order, and of requests that were all superseded.
@Suite struct UnorderedOracleTests {
  /// Requests 1, 2, 3 and so on of one key and one connection.
  private func oracle(_ policies: [DuplicatePolicy?], keepsOrder: Bool = false) -> LoadOracle {
    var oracle = LoadOracle(connections: 1, keys: 1, keepsOrder: [keepsOrder])
    for (index, policy) in policies.enumerated() {
      oracle.sent(OpenRequest(number: UInt64(index + 1), connection: 0, key: 0, policy: policy))
    }
    return oracle
  }

  private func result(_ number: UInt64, arrival: UInt64? = nil, newest: UInt64? = nil) -> OracleReply {
    .result(ResultClaims(number: number, arrival: arrival, newest: newest))
  }

  @Test(arguments: [DuplicatePolicy.cancel, .cancelAndWait, .wait, .keepLatest, .onAnswer])
  func `a result may come after that of a later request`(policy: DuplicatePolicy) {
    var oracle = oracle([policy, policy])
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `the later of two requests may be superseded by the earlier`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(.superseded, to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `a result may come after it was taken back and later requests were answered`() {
    var oracle = oracle([.concurrent])
    #expect(oracle.cancelled(1, on: 0) == true)
    oracle.sent(OpenRequest(number: 2, connection: 0, key: 0, policy: .concurrent))
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1), to: 1, on: 0) == nil)
  }

  @Test func `what needs no order is wrong all the same`() {
    var oracle = oracle([.cancel, .cancel, .cancel])
    #expect(oracle.received(result(2), to: 1, on: 0) == .wrongAnswer(number: 1))
    let stale = oracle.received(result(2, arrival: 1, newest: 2), to: 2, on: 0)
    #expect(stale == .overtaken(number: 2, arrival: 1, newest: 2))
    #expect(oracle.received(result(3, arrival: 2, newest: 2), to: 3, on: 0) == nil)
    #expect(oracle.received(result(3), to: 3, on: 0) == .unexpectedReply(number: 3))
  }

  @Test func `nothing supersedes the only request of a key`() {
    var oracle = oracle([.cancel])
    #expect(oracle.received(.superseded, to: 1, on: 0) == .supersededByNothing(number: 1))
  }

  @Test(arguments: [DuplicatePolicy.cancel, .cancelAndWait, .keepLatest, .onAnswer])
  func `what comes behind a newer one that superseded it must not reach upstream`(policy: DuplicatePolicy) {
    var oracle = oracle([policy, .wait, .cancel])
    #expect(oracle.received(result(3, arrival: 1), to: 3, on: 0) == nil)
    #expect(oracle.received(result(2, arrival: 2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1, arrival: 3), to: 1, on: 0) == .late(number: 1, newer: 3))
  }

  @Test(arguments: [LoadOracle.orderedLaneLimit, LoadOracle.orderedLaneLimit + 1])
  func `of very many keys nobody has to remember the order`(keys: Int) {
    var oracle = LoadOracle(connections: 1, keys: keys, keepsOrder: [false])
    for number in 1...2 as ClosedRange<UInt64> {
      oracle.sent(OpenRequest(number: number, connection: 0, key: 0, policy: .cancel))
    }
    #expect(oracle.received(result(2, arrival: 1), to: 2, on: 0) == nil)
    let late = oracle.received(result(1, arrival: 2), to: 1, on: 0)
    #expect(late == (keys > LoadOracle.orderedLaneLimit ? nil : .late(number: 1, newer: 2)))
  }

  @Test func `what upstream heard before the newer one was not late`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(result(2, arrival: 2), to: 2, on: 0) == nil)
    #expect(oracle.received(result(1, arrival: 1), to: 1, on: 0) == nil)
  }

  @Test func `behind one of any policy what comes late is superseded`() {
    var oracle = oracle([.cancel, .concurrent])
    #expect(oracle.received(result(2, arrival: 1), to: 2, on: 0) == nil)
    #expect(oracle.received(.superseded, to: 1, on: 0) == nil)
    var other = self.oracle([.concurrent, .cancel])
    #expect(other.received(.superseded, to: 2, on: 0) == .supersededByNothing(number: 2))
  }

  @Test(arguments: [true, false])
  func `not all that were open together are superseded`(keepsOrder: Bool) {
    var oracle = oracle([.wait, .cancel, .cancel], keepsOrder: keepsOrder)
    #expect(oracle.received(.superseded, to: 1, on: 0) == nil)
    #expect(oracle.received(.superseded, to: 2, on: 0) == nil)
    let last = oracle.received(.superseded, to: 3, on: 0)
    #expect(last == (keepsOrder ? .supersededByNothing(number: 3) : .nobodyWon(number: 3)))
  }

  @Test(arguments: [OracleReply.failed, .refused, .cancelled])
  func `whatever else ends a request may be what took the others' place`(reply: OracleReply) {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.cancelled(1, on: 0) == true)
    #expect(oracle.received(reply, to: 1, on: 0) == nil)
    #expect(oracle.received(.superseded, to: 2, on: 0) == nil)
  }

  @Test func `who won before counts for nothing afterwards`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.received(result(2), to: 2, on: 0) == nil)
    #expect(oracle.received(.superseded, to: 1, on: 0) == nil)
    for number in 3...4 as ClosedRange<UInt64> {
      oracle.sent(OpenRequest(number: number, connection: 0, key: 0, policy: .cancel))
    }
    #expect(oracle.received(.superseded, to: 3, on: 0) == nil)
    #expect(oracle.received(.superseded, to: 4, on: 0) == .nobodyWon(number: 4))
  }

  @Test func `what a connection had asked that began anew may have been admitted last`() {
    var oracle = oracle([.cancel, .cancel])
    #expect(oracle.beganAnew(0) == 2)
    oracle.sent(OpenRequest(number: 3, connection: 0, key: 0, policy: .cancel))
    #expect(oracle.received(.superseded, to: 3, on: 0) == nil)
  }

  @Test func `a status other than 200 belongs to few errors`() {
    #expect(PostStatus.isRight(200, errorCode: nil) && PostStatus.isRight(200, errorCode: -32080))
    #expect(!PostStatus.isRight(503, errorCode: nil) && !PostStatus.isRight(429, errorCode: -32080))
    #expect(PostStatus.isRight(429, errorCode: -32082) && PostStatus.isRight(413, errorCode: -32086))
    #expect(!PostStatus.isRight(500, errorCode: -32082) && !PostStatus.isRight(413, errorCode: -32085))
  }
}
