import Identity
import Secrets
import TestSupport
import Testing

/// Tokens that count, and each way in which one does not.
@Suite struct SignedTokenTests {
  private let key: TestKey
  private let directory: PrincipalDirectory

  init() throws {
    key = try TestKey(.ed25519)
    directory = PrincipalDirectory(issuers: [try TestIssuer.options([key])])
  }

  private func expect(
    _ fault: TokenFault, _ token: String, seconds: Int64 = TestIssuer.now,
    _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: fault, sourceLocation: place) { try directory.identity(token, seconds: seconds) }
  }

  @Test(arguments: [TestKey.Kind.ed25519, .p256, .rsa(bits: 2048)])
  func `a token of each algorithm says who somebody is`(_ kind: TestKey.Kind) throws {
    let key = try TestKey(kind)
    let directory = PrincipalDirectory(issuers: [try TestIssuer.options([key])])
    let identity = try directory.identity(try key.token(TestIssuer.claims()))
    #expect(identity.name == "login/ada" && identity.subject == "ada" && identity.namespace == nil)
    #expect(identity.endSeconds == TestIssuer.now + 60)
    #expect(directory.endMilliseconds(identity) == (TestIssuer.now + 60) * 1_000)
  }

  // MARK: Algorithms and keys

  @Test(arguments: ["none", "None", "NONE", "", "HS256", "ES256", "RS256", "EdDSA ", "eddsa", "Ed25519"])
  func `another algorithm than the key's is refused, even if it was signed by that`(_ name: String) throws {
    let header = #"{"alg":"\#(name)","kid":"1"}"#
    expect(.algorithm, try key.token(TestIssuer.claims(), header: header))
    // And without any signature.
    let token = try key.token(TestIssuer.claims(), header: header)
    expect(.algorithm, token.split(separator: ".").prefix(2).joined(separator: ".") + ".")
  }

  @Test func `a public key is no secret that a token could be signed with`() throws {
    let key = try TestKey(.rsa(bits: 2048))
    let directory = PrincipalDirectory(issuers: [try TestIssuer.options([key])])
    let signed =
      TestKey.text(Array(#"{"alg":"HS256","kid":"1"}"#.utf8)) + "."
      + TestKey.text(Array(TestIssuer.claims().utf8))
    for secret in [key.publicBytes, key.parts[0]] {
      let token = signed + "." + TestKey.text(try key.hmac(signed, secret: secret))
      #expect(throws: TokenFault.algorithm) { try directory.identity(token) }
    }
  }

  @Test func `a key that the issuer has not is refused, and one that another token names does not help`()
    throws
  {
    let other = try TestKey(.ed25519, id: "2")
    expect(.key, try other.token(TestIssuer.claims()))
    expect(.signature, try other.token(TestIssuer.claims(), header: #"{"alg":"EdDSA","kid":"1"}"#))
  }

  @Test func `a token that names no key is from the only one, and is refused where there are several`() throws
  {
    let header = #"{"alg":"EdDSA"}"#
    let token = try key.token(TestIssuer.claims(), header: header)
    #expect(try directory.identity(token).subject == "ada")
    let two = PrincipalDirectory(issuers: [try TestIssuer.options([key, try TestKey(.ed25519, id: "2")])])
    #expect(throws: TokenFault.key) { try two.identity(token) }
  }

  @Test func `what a token says of keys itself is not looked at`() throws {
    let other = try TestKey(.ed25519)
    let members =
      #","jwk":\#(other.jwk()),"jku":"https://evil.example","x5u":"https://evil.example","x5c":["AA"]"#
    let header = #"{"alg":"EdDSA","kid":"1"\#(members)}"#
    expect(.signature, try other.token(TestIssuer.claims(), header: header))
    #expect(try directory.identity(try key.token(TestIssuer.claims(), header: header)).subject == "ada")
  }

  // MARK: Form

  @Test func `extensions are refused, known or not`() throws {
    for value in [#"["b64"]"#, #"["exp"]"#, "[]", "null"] {
      let header = #"{"alg":"EdDSA","kid":"1","crit":\#(value)}"#
      expect(.extensions, try key.token(TestIssuer.claims(), header: header))
    }
  }

  @Test(arguments: [
    ("JWT", true), ("jwt", true), ("at+jwt", true), ("application/at+JWT", true), ("logout+jwt", false),
    ("JOSE", false), ("", false),
  ])
  func `a token of another kind does not count`(_ kind: String, _ counts: Bool) throws {
    let token = try key.token(TestIssuer.claims(), header: #"{"alg":"EdDSA","kid":"1","typ":"\#(kind)"}"#)
    #expect(((try? directory.identity(token)) != nil) == counts)
    if !counts { expect(.kind, token) }
  }

  @Test func `two members of a name are refused, however they are written`() throws {
    expect(
      .repeatedMember, try key.token(TestIssuer.claims(), header: #"{"alg":"none","kid":"1","alg":"EdDSA"}"#))
    expect(.repeatedMember, try key.token(TestIssuer.claims("ada", #","sub":"eve""#)))
    expect(.repeatedMember, try key.token(TestIssuer.claims("ada", #","\u0073ub":"eve""#)))
    expect(.repeatedMember, try key.token(TestIssuer.claims("ada", #","exp":9999999999"#)))
  }

  @Test func `a part that is cut off, changed, or not as it must be written is refused`() throws {
    let token = try key.token(TestIssuer.claims())
    for count in 0..<token.utf8.count {
      #expect(throws: TokenFault.self) { try directory.identity(String(token.prefix(count))) }
    }
    for forged in [
      token + "=", token + " ", " " + token, token + "\n", token + ".", "." + token, token + ".AA", "..",
    ] {
      #expect(throws: TokenFault.form, "\(forged)") { try directory.identity(forged) }
    }
    // The last character of 64 bytes has four bits that belong to none.
    let last = try #require(token.last)
    for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    where character != last {
      #expect(throws: TokenFault.self) { try directory.identity(token.dropLast() + String(character)) }
    }
  }

  @Test(arguments: [
    "", "null", "[]", "1", #""x""#, "{", "{}}", "{} {}", #"{"sub":"ada",}"#, #"{"sub":'ada'}"#, "\u{FEFF}{}",
    #"{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}}}}}}}}}"#,
    #"{"\ud800":1}"#,
  ])
  func `claims that are no JSON object are refused`(_ claims: String) throws {
    expect(.form, try key.token(claims))
    expect(.form, try key.token(TestIssuer.claims(), header: claims))
  }

  // MARK: Claims

  @Test func `it is for us only if it says so, in whatever way`() throws {
    for audience in [#""lastword""#, #"["x","other"]"#, #"["lastword"]"#] {
      #expect(throws: Never.self) {
        try directory.identity(try key.token(TestIssuer.claims(audience: audience)))
      }
    }
    for audience in [#""Lastword""#, #""lastword ""#, #""""#, "[]", #"["x"]"#, #""last\u0000word""#] {
      expect(.audience, try key.token(TestIssuer.claims(audience: audience)))
    }
    for audience in ["1", "null", "[1]", #"["lastword",null]"#, "{}"] {
      expect(.claim, try key.token(TestIssuer.claims(audience: audience)))
    }
    expect(.claim, try key.token(#"{"iss":"\#(TestIssuer.url)","sub":"ada","exp":1800000060}"#))
  }

  @Test func `it is from one whom the configuration names`() throws {
    for issuer in [TestIssuer.url + "/", "http://login.example.org", "", "HTTPS://login.example.org"] {
      expect(.issuer, try key.token(TestIssuer.claims(issuer: issuer)))
    }
    expect(.claim, try key.token(#"{"aud":"lastword","sub":"ada","exp":1800000060}"#))
    #expect(throws: TokenFault.issuer) {
      try PrincipalDirectory().identity(try key.token(TestIssuer.claims()))
    }
  }

  @Test func `it counts until the second at which it ends, and for its leeway`() throws {
    let token = try key.token(TestIssuer.claims())
    #expect(throws: Never.self) { try directory.identity(token, seconds: TestIssuer.now + 59) }
    expect(.expired, token, seconds: TestIssuer.now + 60)
    var options = try TestIssuer.options([key])
    options.leewayMilliseconds = 5_000
    let patient = PrincipalDirectory(issuers: [options])
    #expect(throws: Never.self) { try patient.identity(token, seconds: TestIssuer.now + 64) }
    #expect(throws: TokenFault.expired) { try patient.identity(token, seconds: TestIssuer.now + 65) }
  }

  @Test func `it does not count before it begins, but for its leeway`() throws {
    let token = try key.token(TestIssuer.claims("ada", #","nbf":1800000010"#))
    expect(.notYetValid, token, seconds: TestIssuer.now + 9)
    #expect(throws: Never.self) { try directory.identity(token, seconds: TestIssuer.now + 10) }
    var options = try TestIssuer.options([key])
    options.leewayMilliseconds = 5_000
    let patient = PrincipalDirectory(issuers: [options])
    #expect(throws: TokenFault.notYetValid) { try patient.identity(token, seconds: TestIssuer.now + 4) }
    #expect(throws: Never.self) { try patient.identity(token, seconds: TestIssuer.now + 5) }
  }

  @Test(arguments: [
    "null", #""1800000060""#, "-1800000060", "18e8", "1.8E9", "1800000060e1", "253402300800", "1e400",
    "99999999999999999999999", "{}", "[]", "true",
  ])
  func `a time is a number of seconds, without a sign or an exponent`(_ time: String) throws {
    expect(.claim, try key.token(TestIssuer.claims(end: time)))
    expect(.claim, try key.token(TestIssuer.claims("ada", #","nbf":\#(time)"#)))
  }

  @Test func `a fraction of a second makes no token live longer`() throws {
    let token = try key.token(TestIssuer.claims("ada", end: "1800000060.9", #","nbf":1799999999.5"#))
    expect(.notYetValid, token, seconds: TestIssuer.now - 1)
    #expect(throws: Never.self) { try directory.identity(token) }
    expect(.expired, token, seconds: TestIssuer.now + 60)
  }

  @Test func `one without an end does not count, nor any where nobody knows the time`() throws {
    expect(.claim, try key.token(#"{"iss":"\#(TestIssuer.url)","aud":"lastword","sub":"ada"}"#))
    let token = try key.token(TestIssuer.claims())
    #expect(throws: TokenFault.noClock) {
      try directory.identity(of: Array(token.utf8), atUnixMilliseconds: nil)
    }
  }

  @Test func `a name is of visible ASCII characters, and not too many`() throws {
    let longest = String(repeating: "a", count: 255)
    #expect(try directory.identity(try key.token(TestIssuer.claims(longest))).subject == longest)
    #expect(
      try directory.identity(try key.token(TestIssuer.claims(#"auth0|\u0041/~!"#))).subject == "auth0|A/~!")
    for name in ["", longest + "a", "a b", #"a\u0000"#, #"\u007f"#, "é", #"a\n"#] {
      expect(.claim, try key.token(TestIssuer.claims(name)))
    }
    expect(.claim, try key.token(#"{"iss":"\#(TestIssuer.url)","aud":"lastword","sub":1,"exp":1800000060}"#))
  }

  @Test func `other claims may name the principal and its namespace, and must then be there`() throws {
    var options = try TestIssuer.options([key])
    options.terms.principalClaim = "https://example.org/user"
    options.terms.namespaceClaim = "org"
    let directory = PrincipalDirectory(issuers: [options])
    let token = try key.token(TestIssuer.claims("x", #","https://example.org/user":"ada","org":"team""#))
    let identity = try directory.identity(token)
    #expect(identity.name == "login/ada" && identity.namespace == "team")
    let without = try key.token(TestIssuer.claims("x", #","https://example.org/user":"ada""#))
    #expect(throws: TokenFault.claim) { try directory.identity(without) }
    #expect(throws: TokenFault.claim) {
      try directory.identity(try key.token(TestIssuer.claims("x", #","org":"t""#)))
    }
  }
}
