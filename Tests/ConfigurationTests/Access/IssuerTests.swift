import GatewayCore
import Identity
import TaskStore
import Testing

@testable import Configuration

/// Whose signed tokens are believed, as the file says it.
@Suite struct IssuerTests {
  private static let least = "name = 'a'\nissuer = 'https://a'\naudience = 'x'\nkeys = '/k'\n"

  @Test func `an issuer becomes what the core calls it`() throws {
    let text = """
      [[listen]]
      address = "127.0.0.1:1"
      auth = "required"
      [[issuer]]
      \(Self.least)
      [[issuer]]
      name = "login"
      issuer = "https://login.example"
      audience = ["lastword", "other"]
      keys = "/etc/lastword/login.jwks"
      principalClaim = "email"
      namespaceClaim = "https://example.org/team"
      leewayMs = 0
      methods = ["search.*"]
      policies = ["wait"]
      cancelByKey = false
      inspect = false
      join = false
      [[principal]]
      name = "ada"
      subjects = ["login:ada:x@y", "a:!~"]
      """
    let settings = try configuration(text)
    let issuers = settings.core.issuers
    var expected = IssuerOptions.Terms(
      name: "login", issuer: "https://login.example", audiences: ["lastword", "other"])
    expected.principalClaim = "email"
    expected.namespaceClaim = "https://example.org/team"
    var rules = Rules()
    rules.methods = [.init("search.", isPrefix: true)]
    rules.policies = [.wait]
    rules.mayCancelByKey = false
    rules.mayInspect = false
    rules.mayJoin = false
    #expect(issuers.map(\.terms) == [.init(name: "a", issuer: "https://a", audiences: ["x"]), expected])
    #expect(issuers.map(\.rules) == [Rules(), rules])
    #expect(issuers.map(\.leewayMilliseconds) == [60_000, 0])
    #expect(
      settings.core.principals.map(\.subjects) == [
        [IssuedSubject(issuer: "login", subject: "ada:x@y"), IssuedSubject(issuer: "a", subject: "!~")]
      ])
    #expect(settings.hidesMemory, "its clients bring tokens")
  }

  @Test(arguments: [
    ("", "1:3: error: [[issuer]] needs 'name'"),
    ("name = 'a'\nissuer = 'b'\nkeys = '/k'", "1:3: error: [[issuer]] needs 'audience'"),
    ("name = 'a'\nissuer = 'b'\naudience = 'x'", "1:3: error: [[issuer]] needs 'keys'"),
    (
      "name = 'a/b'\nissuer = 'b'\naudience = 'x'\nkeys = '/k'",
      "2:8: error: 'name' must be 1 to 64 letters, digits, '-', '_', '.' or '@', not 'a/b'"
    ),
    (
      "name = 'a'\nissuer = 'b c'\naudience = 'x'\nkeys = '/k'",
      "3:10: error: 'issuer' must be 1 to 1024 visible ASCII characters, not 'b c'"
    ),
    (
      least + "leewayMs = 3600001",
      "6:12: error: 'leewayMs' must be 0 to 3_600_000 milliseconds, not 3600001"
    ),
    (
      least + "[[issuer]]\n" + least.replacing("https://a", with: "https://b"),
      "7:8: error: 'name' is \"a\" a second time; the first is at lw.toml:2"
    ),
    (
      least + "[[issuer]]\n" + least.replacing("'a'", with: "'b'"),
      "8:10: error: 'issuer' is \"https://a\" a second time; the first is at lw.toml:3"
    ),
    (
      least + "[[principal]]\nname = 'p'\nsubjects = ['b:x']",
      "8:12: error: 'subjects' has b:x, and no [[issuer]] is called b"
    ),
    (
      least + "[[principal]]\nname = 'p'\nsubjects = ['a:x']\n[[principal]]\nname = 'q'\nsubjects = ['a:x']",
      "11:12: error: 'subjects' has the subject a:x a second time; the first is at lw.toml:8"
    ),
  ])
  func `what is wrong with an issuer is said where it stands`(text: String, complaint: String) {
    let all = complaints("[[issuer]]\n" + text)
    #expect(all.contains("lw.toml:" + complaint), "\(all)")
    // Of an empty block it is said of each setting that it lacks.
    #expect(all.count == (text.isEmpty ? 4 : 1), "\(all)")
  }

  @Test(arguments: ["a", "a:", "a:b c", "a:é", "a:" + String(repeating: "x", count: 256)])
  func `what no issuer calls anybody is no subject`(text: String) {
    let all = complaints("[[issuer]]\n\(Self.least)[[principal]]\nname = 'p'\nsubjects = ['\(text)']")
    #expect(
      all.count == 1 && all[0].hasPrefix("lw.toml:8:13: error: 'subjects' must be an issuer's name"), "\(all)"
    )
  }

  @Test func `the longest subject that a token may have can be named`() {
    let longest = String(repeating: "x", count: 255)
    #expect(
      complaints("[[issuer]]\n\(Self.least)[[principal]]\nname = 'p'\nsubjects = ['a:\(longest)']") == [])
  }
}
