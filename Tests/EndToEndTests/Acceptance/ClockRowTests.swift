import Foundation
import TestSupport
import Testing

/// The row of a wall clock that jumps, as libfaketime makes it.
@Suite struct ClockRowTests {
  private static let bounds = """
    [bounds]
    timeoutMs = 600000
    longestDebounceMs = 600000
    firstByteMs = 600000
    messageMs = 600000
    idleMs = 600000
    answerMs = 600000
    # The library shifts timers of the monotonic clock, too, which several loops set for what they write together.
    coalesceUs = 0
    """

  private let directory: TemporaryDirectory
  private let listener: ListeningSocket

  init() throws {
    directory = try TemporaryDirectory()
    listener = try ListeningSocket()
  }

  /// Sets the wall clock off, relative to the true one, as libfaketime reads it.
  private func jump(_ offset: String) throws {
    try Data("\(offset)\n".utf8).write(
      to: URL(fileURLWithPath: directory.path + "/clock"), options: .atomic)
  }

  private func start() throws -> RunningGateway {
    let found = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map {
      "/usr/lib/\($0)/faketime/libfaketime.so.1"
    }.first { FileManager.default.fileExists(atPath: $0) }
    let library = try #require(found, "this test needs libfaketime (apt-get install libfaketime)")
    try jump("+0")
    let path = directory.path + "/lastword.toml"
    try Data((Self.bounds + "\n[[upstream]]\nname = \"main\"\naddress = \"\(listener.address)\"").utf8).write(
      to: URL(fileURLWithPath: path))
    // The library makes the first program's environment anew, and Swift looks for the arguments beside the old one.
    return try RunningGateway(
      ["--config", path], through: ["/usr/bin/env"],
      environment: [
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": directory.path + "/clock", "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "TZ": "UTC",
      ])
  }

  /// The day that the gateway believes to be, as its log says it when it refuses to read a configuration that is not
  /// there any more.
  private func day(_ gateway: RunningGateway) throws -> String {
    gateway.program.signal(SIGHUP)
    let line = try gateway.awaitLog("the configuration stays as it was")
    return String(line.split(separator: " ")[1])
  }

  @Test(arguments: Transport.all)
  func `whatever the wall clock does, no timer fires, and all are served`(transport: Transport) throws {
    let gateway = try start()
    let upstream = try listener.acceptGateway()
    let (client, idle, half) = (
      try transport.caller(to: gateway.address), try transport.caller(to: gateway.address),
      try transport.caller(to: gateway.address)
    )
    try client.send(request(1, "held"))
    try client.send(request(2, "held", key: "k", task: #","debounceMs":600000"#))
    let held = try upstream.asked()
    let rest = try half.begin(PostScene.ping)
    #expect(try client.isInStep())
    try FileManager.default.removeItem(atPath: directory.path + "/lastword.toml")

    var days = [try day(gateway)]
    for (number, offset) in ["+400d", "-400d", "+9000d", "+0"].enumerated() {
      try jump(offset)
      days.append(try day(gateway))
      // Nobody heard anything but this.
      try client.send(request(10 + number, "canary"))
      let canary = try upstream.asked()
      #expect(canary.method == "canary")
      try upstream.answer(canary.id!, "sung")
      let reply = try client.reply()
      #expect(reply.id == 10 + number && reply.result == "sung")
      #expect(try client.isInStep() && idle.isInStep())
    }
    #expect(Set(days).count >= 4, "the gateway has to see the jumps: \(days)")
    try half.socket.send(bytes: rest)
    #expect(try half.expect() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    try upstream.answer(held.id!, "at last")
    #expect(try client.reply().result == "at last")
    // A timer that is due fires as ever, though.
    let late = try Reply(client.call(request(20, "m", key: "late", task: #","timeoutMs":30"#)))
    #expect(late.id == 20 && late.code == -32083)
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#)
    let queued = try client.reply()
    #expect(queued.id == 2 && queued.code == -32800 && queued.phase == "queued")
    #expect(gateway.stop() == 0)
  }
}
