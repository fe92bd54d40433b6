import Secrets
import Testing

@Suite struct ConstantTimeTests {
  @Test func `only the same bytes are equal`() {
    let secret = (0..<32).map { UInt8($0) }
    #expect(isEqualInConstantTime(secret, secret))
    #expect(isEqualInConstantTime([], []))
    for at in secret.indices {
      for bit in 0..<8 {
        var other = secret
        other[at] ^= 1 << UInt8(bit)
        #expect(!isEqualInConstantTime(secret, other))
      }
    }
  }

  @Test func `what is shorter or longer is another`() {
    #expect(!isEqualInConstantTime([1, 2, 3], [1, 2]))
    #expect(!isEqualInConstantTime([1, 2], [1, 2, 3]))
    #expect(!isEqualInConstantTime([], [0]))
  }
}
