import Foundation
import TestSupport
import Testing

/// What the service manager hears of a gateway that it started.
@Suite struct ServiceNotifierTests {
  private let directory: TemporaryDirectory
  private let manager: DatagramSocket

  init() throws {
    directory = try TemporaryDirectory()
    manager = try DatagramSocket(directory.path + "/notify")
  }

  private func serve(
    _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> RunningProgram {
    try RunningProgram(
      Programs.lastword, ["serve", "--listen", "127.0.0.1:0"] + arguments,
      environment: ["NOTIFY_SOCKET": manager.name].merging(environment) { $1 })
  }

  /// The address that the first thing it says names.
  private func awaitReady() throws -> String {
    let ready = try manager.receive()
    return try String(
      #require(ready.wholeMatch(of: /READY=1\nSTATUS=Listening on (127\.0\.0\.1:\d+)/), "\(ready)").1)
  }

  private func write(_ text: String) throws -> String {
    let path = directory.path + "/lastword.toml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  // MARK: Starting and stopping

  @Test func `it is ready once clients can connect, and stopping while what runs is still answered`() throws {
    let program = try serve()
    let client = try LineSocket(awaitReady())
    try client.send(request(1, "sleep", #"{"ms":300,"q":"finished"}"#))
    #expect(try client.isInStep())
    #expect(!manager.hasNews)
    program.signal(SIGTERM)
    #expect(try manager.receive() == "STOPPING=1\nSTATUS=Draining")
    #expect(try client.reply().result == "finished")
    #expect(program.exitStatus() == 0)
    #expect(!manager.hasNews)
  }

  @Test func `an abstract socket is one, too`() throws {
    let abstract = try DatagramSocket("@lastword-test-\(UUID().uuidString)")
    let program = try serve(environment: ["NOTIFY_SOCKET": abstract.name])
    #expect(try abstract.receive().hasPrefix("READY=1\n"))
    program.signal(SIGTERM)
    #expect(program.exitStatus() == 0)
  }

  @Test func `it is not ready if it cannot start`() throws {
    let taken = try ListeningSocket()
    let program = try serve(["--listen", "127.0.0.1:\(taken.port)"])
    #expect(program.exitStatus() == 69)
    #expect(!manager.hasNews)
  }

  @Test(arguments: [
    "", "/nowhere/at/all", "relative", "@", "/" + String(repeating: "x", count: 200), "vsock:2:1",
  ])
  func `nobody to be told is no reason not to serve`(name: String) throws {
    let gateway = try RunningGateway(reachesUpstream: false, environment: ["NOTIFY_SOCKET": name])
    #expect(try gateway.connect().isInStep())
    let complaint = "[WRN] the service manager cannot be told reason="
    if !name.isEmpty && !gateway.banner.contains(where: { $0.contains(complaint) }) {
      try gateway.awaitLog(complaint)
    }
    #expect(gateway.stop() == 0)
  }

  @Test func `children are told nothing of it`() throws {
    let path = directory.path + "/environment"
    let program = try serve(
      ["--upstream", "exec:sh -c 'env >\(path).new; mv \(path).new \(path); exec cat'"],
      environment: ["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"])
    let text = try eventually("the child has begun") { try? String(contentsOfFile: path, encoding: .utf8) }
    let names = text.split(separator: "\n").compactMap { $0.split(separator: "=").first }
    #expect(names.contains("PATH"))
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
      #expect(!names.contains(Substring(name)))
    }
    program.signal(SIGTERM)
    #expect(program.exitStatus() == 0)
  }

  // MARK: Reloading

  @Test func `it is reloading, and then ready with what it has, whatever that is`() throws {
    let program = try serve(["--config", try write("")])
    let address = try awaitReady()
    for (text, isRight) in [("drainMs = 1", true), ("= nonsense", false), ("drainMs = 2", true)] {
      _ = try write(text)
      let before = monotonicMicroseconds()
      program.signal(SIGHUP)
      let reloading = try manager.receive()
      let time = try #require(
        reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=(\d+)\nSTATUS=Reloading/), "\(reloading)")
      #expect((before...monotonicMicroseconds()).contains(try #require(UInt64(time.1))))
      let wrong = isRight ? "" : "; the new configuration is wrong, the old one stays"
      #expect(try manager.receive() == "READY=1\nSTATUS=Listening on \(address)\(wrong)")
      #expect(try LineSocket(address).isInStep())
    }
  }

  private func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }

  @Test func `the level of the log changes with the configuration`() throws {
    let program = try serve(["--config", try write("[log]\nlevel = \"warning\"\nformat = \"text\"\n")])
    // Upstream is connected a moment later, and that would be said, too.
    _ = try LineSocket(awaitReady()).call(request(1, "echo", "[]"))
    for (level, format) in [("info", "text"), ("error", "text"), ("notice", "json"), ("info", "auto")] {
      _ = try write("[log]\nlevel = \"\(level)\"\nformat = \"\(format)\"\n")
      program.signal(SIGHUP)
      #expect(try manager.receive().hasPrefix("RELOADING=1\n"))
      #expect(try manager.receive().hasPrefix("READY=1\n"))
    }
    let first = try #require(program.errorLine())
    #expect(first.hasPrefix("[") && first.hasSuffix("[INF] configuration reloaded"), "\(first)")
    for level in ["notice", "notice"] {
      let line = try #require(program.errorLine())
      #expect(line.contains(#""level":"\#(level)","message":"configuration reloaded""#), "\(line)")
    }
    program.signal(SIGTERM)
    #expect(program.exitStatus() == 0)
  }

  // MARK: A manager that is busy

  /// The next thing that is no filling.
  private func receive(behind filling: String) throws -> String {
    var said = try manager.receive()
    while said == filling { said = try manager.receive() }
    return said
  }

  @Test func `what a manager with a full queue does not take is said again`() throws {
    let filling = "STATUS=another"
    #expect(try manager.fill(with: filling) > 0)
    let gateway = try RunningGateway(
      reachesUpstream: false, environment: ["NOTIFY_SOCKET": manager.name])
    // Its first turn is over, and with that its first attempt.
    #expect(try gateway.connect().isInStep())
    #expect(try receive(behind: filling) == "READY=1\nSTATUS=Listening on \(gateway.address)")
    #expect(gateway.stop() == 0)
    #expect(try manager.receive() == "STOPPING=1\nSTATUS=Draining")
    #expect(!manager.hasNews)
  }

  @Test func `of what was not taken the newest is said, in its order and once`() throws {
    let filling = "STATUS=another"
    #expect(try manager.fill(with: filling) > 0)
    let gateway = try RunningGateway(
      ["--config", try write("")], reachesUpstream: false,
      environment: ["NOTIFY_SOCKET": manager.name])
    for _ in 0..<2 {
      gateway.program.signal(SIGHUP)
      try gateway.awaitLog("configuration reloaded")
    }
    #expect(try gateway.connect().isInStep())
    #expect(try receive(behind: filling).hasPrefix("RELOADING=1\n"))
    #expect(try manager.receive() == "READY=1\nSTATUS=Listening on \(gateway.address)")
    #expect(gateway.stop() == 0)
    #expect(try manager.receive() == "STOPPING=1\nSTATUS=Draining")
    #expect(!manager.hasNews)
  }

  @Test func `with a full queue that is never read it serves, and ends`() throws {
    _ = try manager.fill(with: "STATUS=another")
    let gateway = try RunningGateway(
      reachesUpstream: false, environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2000"])
    #expect(try gateway.connect().isInStep())
    // After some seconds it gives up.
    try gateway.awaitLog("[WRN] the service manager cannot be told reason=\"EAGAIN")
    #expect(try gateway.connect().isInStep())
    #expect(gateway.stop() == 0)
  }

  // MARK: Being alive

  @Test func `it shows that its loop turns, as often as it should, until it has stopped`() throws {
    let program = try serve(["--drain-ms", "3600000"], environment: ["WATCHDOG_USEC": "20000"])
    let client = try LineSocket(awaitReady())
    for _ in 0..<5 { #expect(try manager.receive() == "WATCHDOG=1") }
    try client.send(request(1, "sleep", #"{"ms":60000}"#))
    #expect(try client.isInStep())
    program.signal(SIGTERM)
    var said = try manager.receive()
    for _ in 0..<1_000 where said == "WATCHDOG=1" { said = try manager.receive() }
    #expect(said == "STOPPING=1\nSTATUS=Draining")
    for _ in 0..<5 { #expect(try manager.receive() == "WATCHDOG=1") }
    program.signal(SIGTERM)
    #expect(program.exitStatus() == 128 + SIGTERM)
  }

  @Test(arguments: ["0", "-1", "soon", "18446744073709551615", "18446744073709551616"])
  func `a time that is none is no watchdog's`(time: String) throws {
    let program = try serve(environment: ["WATCHDOG_USEC": time])
    _ = try awaitReady()
    program.signal(SIGTERM)
    #expect(try manager.receive() == "STOPPING=1\nSTATUS=Draining")
    #expect(program.exitStatus() == 0)
    #expect(!manager.hasNews)
  }

  @Test(arguments: [("$$", true), ("1", false)])
  func `only the process that is meant answers for it`(process: String, isItself: Bool) throws {
    let script = "WATCHDOG_PID=\(process) exec '\(Programs.lastword)' serve --listen 127.0.0.1:0"
    let program = try RunningProgram(
      "/bin/sh", ["-c", script], environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "20000"])
    let client = try LineSocket(awaitReady())
    // As long as several of its times.
    let reply = try Reply(client.call(request(1, "sleep", #"{"ms":200}"#)))
    #expect(reply.code == nil)
    #expect(manager.hasNews == isItself)
    program.signal(SIGTERM)
    #expect(program.exitStatus() == 0)
  }
}
