import Testing

@testable import GatewayCore

/// What was taken of a rate that changes.
@Suite struct TokenBucketTests {
  @Test func `a lower rate forgives what it would not have let be taken in advance`() {
    var bucket = TokenBucket(rate: 1_000)
    bucket.take(1_000, at: 0)
    bucket.rate = 10
    // Ten seconds' worth in advance, and one token.
    let almost = bucket.wait(at: 10_099)
    let enough = bucket.wait(at: 10_100)
    #expect(almost == 1 && enough == 0)
  }

  @Test func `what another rate would have let be taken, too, stays taken`() {
    var bucket = TokenBucket(rate: 1_000)
    bucket.take(20, at: 0)
    bucket.rate = 10
    let lower = bucket.wait(at: 0)
    bucket.rate = 20
    let higher = bucket.wait(at: 0)
    #expect(lower == 1_100 && higher == 50)
  }
}
