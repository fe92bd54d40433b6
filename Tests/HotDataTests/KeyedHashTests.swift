import Testing

@testable import HotData

/// SipHash, held against what its authors and others publish: of the bytes 0, 1, 2 … under the secret 0, 1, … 15.
@Suite struct KeyedHashTests {
  static let hash = KeyedHash(secret: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
  static let word: UInt64 = 0x0706_0504_0302_0100

  /// By the number of bytes, of which the word holds the first eight.
  static let ofTwoAndFour: [Int: UInt64] = [
    8: 0x93f5_f579_9a93_2462, 9: 0x9e00_82df_0ba9_e4b0, 15: 0xa129_ca61_49be_45e5,
    16: 0x3f2a_cc7f_57c2_9bdb, 17: 0x699a_e9f5_2cbe_4794, 63: 0x958a_324c_eb06_4572,
  ]
  static let ofOneAndThree: [Int: UInt64] = [
    8: 0x3690_9511_8d29_9a8e, 9: 0x25a4_8eb3_6c06_3de4, 11: 0x70c1_18c1_f94d_c352,
    12: 0x78a3_84b1_57b4_d9a2, 15: 0xd320_d86d_2a51_9956, 16: 0xcc4f_dd1a_7d90_8b66,
    17: 0x9cf2_6890_63db_d80c, 23: 0x525a_0e7f_dae6_c123, 24: 0xf464_aeb2_6734_9c8c,
    31: 0x2370_dd1f_8c21_d1bc, 63: 0x9d19_9062_b7bb_b3a8,
  ]

  private func bytes(upTo count: Int) -> [UInt8] { (8..<max(count, 8)).map { UInt8($0) } }

  @Test(arguments: ofTwoAndFour)
  func `with two and four rounds it is what is published`(count: Int, published: UInt64) {
    let hash = Self.hash.hash(Self.word, bytes(upTo: count).span, compressions: 2, finalizations: 4)
    #expect(hash == published)
  }

  @Test(arguments: ofOneAndThree)
  func `with one and three it is, too`(count: Int, published: UInt64) {
    let hash = Self.hash.hash(Self.word, bytes(upTo: count).span)
    #expect(hash == published)
  }

  @Test func `every length and every byte counts`() {
    var seen: Set<UInt64> = []
    let hash = KeyedHash(seed: 1)
    for count in 0..<40 {
      seen.insert(hash.hash(0, [UInt8](repeating: 0, count: count).span))
      for place in 0..<count {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes[place] = 1
        seen.insert(hash.hash(0, bytes.span))
      }
    }
    #expect(seen.count == 40 + 40 * 39 / 2)
  }

  @Test func `what is kept of a word is that of the same word only`() {
    let hash = KeyedHash(seed: 1)
    var many = KeyedHashOfMany(hash)
    for word: UInt64 in [0, 0, 3, 3, 0, .max, 3] {
      let bytes = Array("key \(word)".utf8)
      let (kept, apart) = (many.hash(word, bytes.span), hash.hash(word, bytes.span))
      #expect(kept == apart)
    }
  }

  @Test func `a seed says which hash it is`() {
    let bytes = Array("search".utf8)
    let (first, second) = (KeyedHash(seed: 7), KeyedHash(seed: 7))
    let (mine, same, other) = (
      first.hash(1, bytes.span), second.hash(1, bytes.span), KeyedHash(seed: 8).hash(1, bytes.span)
    )
    #expect(mine == same)
    #expect(mine != other)
  }
}
