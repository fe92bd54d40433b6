import Foundation
import TestSupport
import Testing

/// SIGHUP: the new configuration, or the old one and an error.
@Suite struct ReloadTests {
  let directory: TemporaryDirectory
  let gateway: RunningGateway
  let client: LineSocket

  private var path: String { directory.path + "/lastword.toml" }

  init() throws {
    directory = try TemporaryDirectory()
    try Self.write("[bounds]\nqueuePerLane = 2\n", to: directory.path + "/lastword.toml")
    gateway = try RunningGateway(["--config", directory.path + "/lastword.toml"])
    client = try gateway.connect()
    for id in 1...3 { try client.send(sleeping(id, "busy", milliseconds: 60_000, policy: "wait")) }
    #expect(try client.isInStep())
  }

  private static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test func `what comes after it is bound anew, and what was there goes on`() throws {
    try Self.write("[bounds]\nqueuePerLane = 3\n", to: path)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
    try client.send(sleeping(4, "one more", milliseconds: 0, policy: "wait"))
    try client.send(sleeping(5, "too many", milliseconds: 0, policy: "wait"))
    let refused = try client.reply()
    #expect(refused.id == 5 && refused.code == -32082)
    #expect(try client.isInStep())
  }

  @Test(arguments: [
    "[bounds]\nqueuePerLane = 0\n", "[[upstream]]\nname = \"main\"\naddress = \"tcp:127.0.0.1:1\"\n",
    "= nonsense", "[log]\nlevel = \"loud\"\n",
    // The library that once read it ended the process at these.
    "[#", "[=", "[.a]", "[[[upstream]]", "[[upstream]]\nenvironment = [}",
  ])
  func `a configuration that will not do changes nothing`(text: String) throws {
    try Self.write(text, to: path)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("stays as it was")
    try client.send(sleeping(4, "too many", milliseconds: 0, policy: "wait"))
    let refused = try client.reply()
    #expect(refused.id == 4 && refused.code == -32082)
    #expect(try client.isInStep())
  }

  @Test(arguments: [
    ("mkfifo FILE", "only a regular file can be read again"),
    ("mkdir FILE", "only a regular file can be read again"),
    ("ln -s /dev/zero FILE", "only a regular file can be read again"), ("true", "No such file or directory"),
    ("truncate --size 1G FILE", "the file is larger than 1048576 bytes"),
  ])
  func `what cannot be read, or would have to be waited for, changes nothing`(
    script: String, reason: String
  ) throws {
    try FileManager.default.removeItem(atPath: path)
    #expect(
      try RunningProgram("/bin/sh", ["-c", script.replacing("FILE", with: "'\(path)'")]).exitStatus() == 0)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog(reason)
    try gateway.awaitLog("stays as it was")
    #expect(try client.isInStep())
  }

  @Test func `what is waited for can be read at the start`() throws {
    let program = try RunningProgram(
      "/bin/sh", ["-c", "echo '[log' | exec '\(Programs.lastword)' config check /dev/stdin"])
    #expect(program.errorLine()?.hasPrefix("/dev/stdin:1:5: error: ") == true)
    #expect(program.exitStatus() == 78)
  }
}
