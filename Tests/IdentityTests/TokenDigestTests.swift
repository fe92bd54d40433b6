import Identity
import Testing

@Suite struct TokenDigestTests {
  private static let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test func `a digest is that of its token, in either case of its digits`() throws {
    let digest = try #require(TokenDigest(hexadecimal: Self.digits))
    #expect(digest.hexadecimal == Self.digits && digest == TokenDigest(hexadecimal: Self.digits.uppercased()))
    guard TokenDigest.isBuilt else { return #expect(TokenDigest(of: Array("abc".utf8)) == nil) }
    #expect(digest == TokenDigest(of: Array("abc".utf8)) && digest != TokenDigest(of: Array("abd".utf8)))
  }

  @Test(arguments: ["", "ab", String(digits.dropLast()), digits + "00", String(digits.dropLast()) + "g"])
  func `what is no digest is none`(_ text: String) { #expect(TokenDigest(hexadecimal: text) == nil) }
}
