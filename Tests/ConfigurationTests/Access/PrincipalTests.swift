import GatewayCore
import Identity
import TaskStore
import Testing

@testable import Configuration

/// Who may come, as the file says it.
@Suite struct PrincipalTests {
  private static let digest = "sha256:" + String(repeating: "0a", count: 32)
  private static let other = "sha256:" + String(repeating: "0b", count: 32)

  @Test func `a principal becomes what the core calls it`() throws {
    let text = """
      [[listen]]
      address = "127.0.0.1:1"
      auth = "required"
      [[principal]]
      name = "ada@home"
      namespace = "team"
      tokens = ["\(Self.digest)"]
      users = ["0", "4294967294"]
      methods = ["echo", "search.*"]
      policies = ["cancel", "wait"]
      cancelByKey = false
      inspect = false
      join = false
      [[principal]]
      name = "eve"
      users = ["7"]
      certificates = ["dns:Eve.Example", "uri:a:b", "subject:CN=Eve,O=x", "sha256:\(String(repeating: "0A", count: 32))"]
      """
    let core = try configuration(text).core
    #expect(core.listeners.map(\.asksWho) == [true])
    var ada = PrincipalOptions(name: "ada@home")
    ada.namespace = "team"
    ada.tokens = [try #require(TokenDigest(hexadecimal: String(Self.digest.dropFirst(7))))]
    ada.users = [0, .max - 1]
    ada.rules.methods = [.init("echo"), .init("search.", isPrefix: true)]
    ada.rules.policies = [.cancel, .wait]
    ada.rules.mayCancelByKey = false
    ada.rules.mayInspect = false
    ada.rules.mayJoin = false
    var eve = PrincipalOptions(name: "eve")
    eve.users = [7]
    eve.certificates = [
      CertificateName(.dns, "eve.example"), CertificateName(.uri, "a:b"),
      CertificateName(.subject, "CN=Eve,O=x"),
      CertificateName(.sha256, String(repeating: "0a", count: 32)),
    ]
    #expect(core.principals == [ada, eve])
  }

  @Test(arguments: [
    ("users = ['1']", "1:3: error: [[principal]] needs 'name'"),
    (
      "name = 'a b'\nusers = ['1']",
      "2:8: error: 'name' must be 1 to 64 letters, digits, '-', '_', '.' or '@', not 'a b'"
    ),
    (
      "name = 'a'",
      "1:3: error: [[principal]] needs 'tokens', 'users', 'certificates' or 'subjects': it could not be known by anything (lastword token makes a token)"
    ),
    (
      "name = 'a'\ntokens = ['secret']",
      "3:11: error: 'tokens' must be sha256: and 64 hexadecimal digits, as lastword token prints them"
    ),
    (
      "name = 'a'\nusers = ['4294967295']",
      "3:10: error: 'users' must be a user's number, from 0 to 4294967294, not '4294967295'"
    ),
    (
      "name = 'a'\nusers = ['-1']",
      "3:10: error: 'users' must be a user's number, from 0 to 4294967294, not '-1'"
    ),
    (
      "name = 'a'\nusers = ['1']\n[[principal]]\nname = 'a'\nusers = ['2']",
      "5:8: error: 'name' is \"a\" a second time; the first is at lw.toml:2"
    ),
    (
      "name = 'a'\nusers = ['1']\n[[principal]]\nname = 'b'\nusers = ['1']",
      "6:9: error: 'users' has the user 1 a second time; the first is at lw.toml:3"
    ),
    (
      "name = 'a'\ntokens = ['\(digest)']\n[[principal]]\nname = 'b'\ntokens = ['\(other)', '\(digest)']",
      "6:10: error: 'tokens' has the token \(digest) a second time; the first is at lw.toml:3"
    ),
  ])
  func `what is wrong with a principal is said where it stands`(text: String, complaint: String) {
    #expect(complaints("[[principal]]\n" + text) == ["lw.toml:" + complaint])
  }

  @Test(arguments: ["eve", "cn:eve", "dns:", "sha256:0a", ":a"])
  func `what no certificate says is no name`(text: String) {
    #expect(
      complaints("[[principal]]\nname = 'a'\ncertificates = ['\(text)']") == [
        "lw.toml:3:17: error: 'certificates' must be dns:, uri:, email: or subject: and what a certificate says, or sha256: and its fingerprint, not '\(text)'"
      ])
  }

  @Test func `a listener that asks needs somebody who could come`() {
    #expect(
      complaints("[[listen]]\naddress = '127.0.0.1:1'\nauth = 'required'") == [
        "lw.toml:3:8: error: 'auth' must not be \"required\" without any [[principal]] or [[issuer]]: nobody could come"
      ])
  }

  @Test func `what is shown of a token is what the file has of it`() throws {
    let shown = SettingList.text(
      of: try configuration(
        "[[principal]]\nname = 'a'\ntokens = ['\(Self.digest.uppercased().replacing("SHA256", with: "sha256"))']"
      ),
      showsOrigins: false)
    #expect(shown.contains("tokens = [\"\(Self.digest)\"]"))
  }
}
