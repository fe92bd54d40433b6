import Addresses
import Testing

@testable import Configuration

/// Where an upstream may be.
@Suite struct UpstreamAddressTests {
  private func mistake(_ text: String) -> String? {
    do throws(Mistake) {
      _ = try UpstreamAddress(setting: text)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: [
    ("demo", UpstreamAddress.demo, "demo"),
    ("tcp:[::1]:9000", .socket(.tcp(host: "::1", port: 9000)), "tcp:[::1]:9000"),
    ("unix:/a b", .socket(.unix(path: "/a b")), "unix:/a b"),
    ("exec:pylsp", .command(["pylsp"]), "exec:pylsp"),
    (
      "exec: sh -c 'echo \"$1\"' ''", .command(["sh", "-c", "echo \"$1\"", ""]), "exec:sh -c 'echo \"$1\"' ''"
    ),
    ("exec:demo", .command(["demo"]), "exec:demo"),
  ])
  func `every kind is understood, and written so that it is again`(
    text: String, address: UpstreamAddress, shown: String
  ) throws {
    #expect(try UpstreamAddress(setting: text) == address)
    #expect(address.settingText == shown && address.description == shown)
    #expect(try UpstreamAddress(setting: address.settingText) == address)
  }

  @Test(arguments: [
    ("exec:a --password=x -v", "exec:a --password=… -v"), ("exec:env API_KEY=x a", "exec:env API_KEY=… a"),
    ("exec:a --token x y", "exec:a --token … y"), ("exec:a --token --verbose", "exec:a --token --verbose"),
    ("exec:a key=1 size=2", "exec:a key=… size=2"),
  ])
  func `a value that its name gives away as a secret is not shown`(text: String, shown: String) throws {
    let address = try UpstreamAddress(setting: text)
    #expect(address.description == shown && address.settingText == text)
  }

  @Test(arguments: [
    ("", "not ''"), ("demo:", "not 'demo:'"), ("exec", "not 'exec'"), ("exec:", "not 'exec:'"),
    ("exec:  ", "not 'exec:…'"), ("exec:'' a", "not 'exec:''…'"), ("tcp:a", "not 'tcp:a'"),
    ("unix:", "not 'unix:'"), ("http", "not 'http'"), ("ws://a/", "not 'ws…'"),
    ("a:1", "not 'a:1'; did you mean 'tcp:a:1'?"),
  ])
  func `anything else is refused`(text: String, message: String) {
    #expect(mistake(text) == "must be \(UpstreamAddress.form), \(message)")
  }

  @Test func `a command that does not end is refused with what is missing`() {
    let form = "must be \(UpstreamAddress.form)"
    #expect(mistake("exec:a 'b") == "\(form): a ' of it is not closed")
    #expect(mistake("exec:a \"b") == "\(form): a \" of it is not closed")
    #expect(mistake("exec:a \\") == "\(form): nothing follows its last \\")
  }

  // MARK: HTTP

  @Test(arguments: [
    "http://", "https://", "http:///a", "https://:80/", "http://user@/", "http://a:0/", "http://a:65536/",
    "http://a:x/", "http://a:/", "http://[::1/", "http://[a]/", "https://?secret", "http:// a/",
    "http://a/\u{7f}", "http://a/ü", "http:a", "https:/a",
  ])
  func `a URL that leads nowhere is refused, and not shown, as it may hold a secret`(text: String) throws {
    let message = try #require(mistake(text))
    #expect(message.hasPrefix("must be a URL "))
    #expect(!message.contains("secret") && !message.contains("user"))
  }

  private static let right = [
    ("http://127.0.0.1:6800/jsonrpc", "http://127.0.0.1:6800/jsonrpc"), ("https://a", "https://a"),
    ("https://user:secret@a:65535/b/c?token=secret#d", "https://…@a:65535/b/c?…"),
    ("http://[::1]:1?secret", "http://[::1]:1?…"), ("http://[::1]", "http://[::1]"),
    ("https://u@b@a/", "https://…@a/"),
  ]

  #if HTTPUpstreams
  @Test(arguments: right)
  func `a URL is taken as it is, and shown without what is secret`(text: String, shown: String) throws {
    let address = try UpstreamAddress(setting: text)
    #expect(address.settingText == text && address.description == shown)
    #expect(address.kind == .http && address.isSecure == text.hasPrefix("https:"))
  }
  #else
  @Test(arguments: right)
  func `a URL is refused by a build that knows no HTTP`(text: String, shown: String) {
    let message = "this build has no HTTP upstreams (build with --traits HTTPUpstreams)"
    #expect(mistake(text) == "must not be a URL: \(message)")
  }
  #endif
}
