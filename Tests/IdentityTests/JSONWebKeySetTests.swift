import Identity
import TestSupport
import Testing

/// Files of keys (RFC 7517): which keys count, which are passed over, and which make the file a mistake.
@Suite struct JSONWebKeySetTests {
  private func read(_ text: String) throws(KeySetFault) -> JSONWebKeySet {
    try JSONWebKeySet(Array(text.utf8))
  }

  private func fault(_ keys: String...) -> String? {
    do throws(KeySetFault) {
      _ = try read("{\"keys\":[\(keys.joined(separator: ","))]}")
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `keys for other things are passed over`() throws {
    let key = try TestKey(.ed25519)
    let others = [
      try TestKey(.p384, id: "2").jwk(), try TestKey(.rsa(bits: 2048), id: "3").jwk(#","use":"enc""#),
      try TestKey(.p256, id: "4").jwk(#","alg":"ECDH-ES""#),
      try TestKey(.ed25519, id: "5").jwk(#","key_ops":["sign"]"#),
      try TestKey(.rsa(bits: 2048), id: "6").jwk(#","alg":"RS512""#), #"{"kty":"AKP","pub":"AA"}"#,
    ]
    #expect(
      fault(others.joined(separator: ","), key.jwk(#","use":"sig","key_ops":["verify"],"alg":"EdDSA""#))
        == nil)
    #expect(
      fault(others.joined(separator: ",")) == "none of its keys is for EdDSA, ES256 or RS256 signatures")
  }

  @Test func `a file without keys that count is a mistake`() {
    #expect(fault() == "none of its keys is for EdDSA, ES256 or RS256 signatures")
    for text in [
      "", "{}", "[]", #"{"keys":{}}"#, #"{"keys":[1]}"#, "-----BEGIN PUBLIC KEY-----", #"{"keys":[]"#,
    ] {
      #expect(throws: KeySetFault.self, "\(text)") { try read(text) }
    }
    #expect(throws: KeySetFault.self) { try read(#"{"keys":[],"keys":[]}"#) }
  }

  @Test func `a key of ours that is malformed, weak or no key is a mistake`() throws {
    let point = try TestKey(.p256).parts
    let (x, y) = (TestKey.text(point[0]), TestKey.text(point[1]))
    let malformed = "key 2 has a member that is missing or malformed"
    let good = try TestKey(.ed25519).jwk()
    #expect(fault(good, #"{"kty":"EC","crv":"P-256","x":"\#(x)"}"#) == malformed)
    #expect(fault(good, #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)="}"#) == malformed)
    #expect(fault(good, #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":1}"#) == malformed)
    #expect(fault(good, #"{"kid":"2"}"#) == malformed)
    #expect(
      fault(good, #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#)
        == "key 2 cannot be used: it is no key that can be used")
    #expect(
      fault(good, try TestKey(.rsa(bits: 1024), id: "2").jwk())
        == "key 2 cannot be used: RSA keys have at least 2048 bits")
  }

  @Test func `a file with a secret in it is a mistake, whatever the key is for`() throws {
    let secret = "key 1 is secret, and nobody else's"
    #expect(fault(try TestKey(.ed25519).jwk(#","d":"AA""#)) == secret)
    #expect(fault(#"{"kty":"oct","k":"AA"}"#) == secret)
  }

  @Test func `two keys are told apart by their names`() throws {
    let (one, other) = (try TestKey(.ed25519), try TestKey(.p256))
    let expected = "key 2 has the 'kid' of another one, or none, as another one"
    #expect(fault(one.jwk(), other.jwk()) == expected)
    let nameless = one.jwk().replacing(#","kid":"1""#, with: "")
    #expect(fault(nameless, nameless) == expected && fault(nameless, other.jwk()) == nil)
  }

  @Test func `so many keys may be in a file, and one more is too many`() throws {
    let key = try TestKey(.ed25519)
    let keys = (0..<65).map { key.jwk().replacing(#""kid":"1""#, with: #""kid":"\#($0)""#) }
    #expect(fault(keys.prefix(64).joined(separator: ",")) == nil)
    #expect(fault(keys.joined(separator: ",")) == "it has more than 64 keys")
  }
}
