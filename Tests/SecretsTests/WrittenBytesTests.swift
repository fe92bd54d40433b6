import Secrets
import Testing

/// Base64url, hexadecimal digits and tokens.
@Suite struct WrittenBytesTests {
  static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The examples of RFC 4648, section 10, without padding, and the two characters of section 5.
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"), ("~~?", "fn4_"), ("~~>", "fn4-"),
  ])
  func `base64url is that of RFC 4648`(_ bytes: String, _ text: String) {
    #expect(Base64URL.text(of: Array(bytes.utf8)) == text)
  }

  @Test func `base64url stands for the bytes that it was made of`() {
    for count in 0..<100 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167) }
      #expect(Base64URL.bytes(of: Array(Base64URL.text(of: bytes).utf8)[...]) == bytes)
    }
  }

  /// Padding, white space, the other alphabet, one character alone, and bits that belong to no byte.
  @Test(arguments: [
    "Zg==", "Zm8=", "=", " Zg", "Zg ", "Zm9v\n", "Zm\n9v", "fn4+", "fn4/", "Z", "Zm9vY", "Zh", "Zv", "Zm9",
    "Zm-",
    "Zm9vYmF\0", "Zé8", "*w",
  ])
  func `there is one way to write bytes in base64url, and others are none`(_ text: String) {
    #expect(Base64URL.bytes(of: Array(text.utf8)[...]) == nil)
  }

  @Test func `hexadecimal digits stand for their bytes`() {
    let all = (0...255).map { UInt8($0) }
    #expect(Hexadecimal.bytes(of: Hexadecimal.text(of: all)) == all)
    #expect(Hexadecimal.bytes(of: Hexadecimal.text(of: all).uppercased()) == all)
    #expect(Hexadecimal.text(of: [0x0f, 0xa0]) == "0fa0")
    #expect(Hexadecimal.bytes(of: "") == [])
  }

  @Test(arguments: ["0", "abc", "0g", "g0", " 0", "+1", "0x", "é", "٠٠"])
  func `what is no pair of hexadecimal digits stands for nothing`(_ text: String) {
    #expect(Hexadecimal.bytes(of: text) == nil)
  }

  @Test func `as many random bytes come as are asked for, within the bound`() {
    #expect(RandomBytes.make(0) == [])
    #expect(RandomBytes.make(256)?.count == 256)
    #expect(RandomBytes.make(257) == nil)
    #expect(RandomBytes.make(-1) == nil)
  }

  @Test func `each token is another, of 256 bits behind its prefix`() throws {
    let tokens = try (0..<100).map { _ in try #require(RandomToken.make()) }
    #expect(Set(tokens).count == tokens.count)
    for token in tokens {
      #expect(token.hasPrefix("lw_") && token.utf8.count == 3 + 43)
      #expect(token.utf8.allSatisfy { Self.alphabet.contains($0) })
    }
  }
}
