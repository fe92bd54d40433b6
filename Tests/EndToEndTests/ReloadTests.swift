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
}
