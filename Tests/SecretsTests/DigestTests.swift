import Secrets
import Testing

@Suite struct DigestTests {
  /// The examples for SHA-256 that come with FIPS 180-4, and the empty message.
  static let examples: [(String, String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  #if TLS
  @Test(arguments: examples)
  func `digests are those of FIPS 180-4`(_ message: String, _ digest: String) {
    #expect(Digest.sha256(Array(message.utf8)).map(Hexadecimal.text) == digest)
    #expect(Digest.isAvailable)
  }

  /// The examples for SHA-1 that come with FIPS 180-4.
  @Test(arguments: [
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
  ])
  func `so are those of SHA-1`(_ message: String, _ digest: String) {
    #expect(Digest.sha1(Array(message.utf8)).map(Hexadecimal.text) == digest)
  }
  #else
  @Test func `without OpenSSL there are no digests`() {
    #expect(Digest.sha256([]) == nil && Digest.sha1([]) == nil)
    #expect(!Digest.isAvailable)
  }
  #endif
}
