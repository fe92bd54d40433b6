import Foundation
import TestSupport
import Testing

/// Who gets in, and what children get to know, without anything being said.
@Suite struct SeclusionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func file(_ text: String) throws -> String {
    let path = directory.path + "/lastword.toml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test
  func `a Unix socket is its owner's alone unless the configuration says otherwise, whatever the umask`()
    throws
  {
    let (own, shared) = ("\(directory.path)/own", "\(directory.path)/shared")
    let path = try file(
      """
      [[listen]]
      address = "unix:\(own)"
      [[listen]]
      address = "unix:\(shared)"
      mode = "0660"
      """)
    for mask in ["000", "077"] {
      let gateway = try RunningGateway(
        ["--config", path], listen: [], through: ["/bin/sh", "-c", "umask \(mask); exec \"$0\" \"$@\""])
      #expect(try mode(own) == 0o600 && mode(shared) == 0o660)
      #expect(try gateway.connect().isInStep())
      #expect(gateway.stop() == 0)
    }
  }

  @Test func `listening for others than this machine is told, in one line`() throws {
    let open = try RunningGateway(["--audience", "network"], listen: ["0.0.0.0:0", "127.0.0.1:0"])
    let warnings = open.banner.filter { $0.contains("do not log in") }
    #expect(warnings.count == 1 && warnings[0].contains(open.addresses[0]))
    #expect(warnings.first?.contains(open.addresses[1]) == false)
    let closed = try RunningGateway(listen: ["127.0.0.1:0", "unix:\(directory.path)/a"])
    #expect(!closed.banner.contains { $0.contains("do not log in") })
  }

  @Test func `nobody listens for others than this machine without a word that says so`() throws {
    let text = "[[listen]]\naddress = \"0.0.0.0:0\"\n"
    let path = try file(text)
    let refused = try RunningProgram(Programs.lastword, ["serve", "--config", path])
    let line = try #require(refused.errorLine())
    #expect(line.hasPrefix("\(path):2:11: error: 'address' of [[listen]] must be a loopback address"))
    #expect(line.hasSuffix("say audience = \"network\" in its [[listen]]"))
    #expect(refused.exitStatus() == 78)
    _ = try file(text + "audience = \"network\"\n")
    let gateway = try RunningGateway(["--config", path], listen: [])
    #expect(gateway.address.hasPrefix("0.0.0.0:"))
    let check = try RunningProgram(Programs.lastword, ["config", "check", path])
    #expect(
      check.errorLine()?.hasPrefix("\(path):2:11: warning: whoever reaches '0.0.0.0:0' is served") == true)
    #expect(check.exitStatus() == 0)
  }

  private let say = "echo heard ${SECRET_ONE-nothing} ${SECRET_TWO-nothing} ${LC_ALL-nothing} >&2; exec cat"
  private let secrets = ["SECRET_ONE": "1", "SECRET_TWO": "2", "LC_ALL": "C"]

  @Test func `of the gateway's environment a child gets what the configuration names`() throws {
    let path = try file(
      """
      [[upstream]]
      name = "main"
      address = "exec:sh -c '\(say)'"
      environment = ["SECRET_TWO", "MISSING"]
      """)
    let gateway = try RunningGateway(["--config", path], environment: secrets)
    try gateway.awaitLog("heard nothing 2 C")
  }

  @Test func `a program that is wrapped gets all of it`() throws {
    let wrap = try RunningProgram(
      Programs.lastword, ["wrap", "--", "sh", "-c", say],
      environment: secrets.merging(["LASTWORD_LOG_FORMAT": "text"]) { $1 })
    while let line = wrap.errorLine() {
      if line.contains("heard") {
        #expect(line.contains("heard 1 2 C"))
        break
      }
    }
    wrap.signal(SIGTERM)
    _ = wrap.exitStatus()
  }

  @Test func `a program that is wrapped gets every word of its command as it is`() throws {
    let words = ["--token", "abc", "KEY=x y", "--pass=it's", ""]
    let wrap = try RunningProgram(
      Programs.lastword, ["wrap", "--", "sh", "-c", "for a; do echo \"<$a>\" >&2; done", "sh"] + words)
    var heard: [String] = []
    while let line = wrap.errorLine() { heard.append(line) }
    #expect(heard == words.map { "<\($0)>" })
    #expect(wrap.exitStatus() == 0)
  }

  @Test func `children may open as many files as the gateway when it was started`() throws {
    let gateway = try RunningGateway(
      upstream: "exec:sh -c 'echo limit $(ulimit -Sn) >&2; exec cat'",
      through: ["/bin/sh", "-c", "ulimit -Sn 321; exec \"$0\" \"$@\""])
    try gateway.awaitLog("limit 321")
  }
}
