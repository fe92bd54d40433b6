import Foundation
import LastwordKit
import Synchronization
import TestSupport
import Testing

/// How a gateway starts and ends.
@Suite struct RunTests {
  @Test func `two gateways in one process know nothing of each other`() async throws {
    var (one, other) = (Gateway(listen: ["127.0.0.1:0"]), Gateway(listen: ["127.0.0.1:0"]))
    one.handle("who") { (_: NoParams) in "one" }
    other.handle("who") { (_: NoParams) in "other" }
    let second = try await ServedGateway.start(other)
    let answers = try await ServedGateway.serving(one) { first in
      [try first.connect().ask("who"), try second.connect().ask("who")]
    }
    #expect(answers == [#""result":"one""#, #""result":"other""#])
    let answer = try await onOwnThread { try second.connect().ask("who") }
    #expect(answer == #""result":"other""#)
    second.stop()
    try await second.ended()
  }

  @Test func `with several loops the newest of a key wins whichever connection it comes by`() async throws {
    var options = GatewayOptions()
    options.loops = 3
    let started = Mutex(0)
    let cancelled = Mutex(0)
    var gateway = Gateway(listen: ["127.0.0.1:0"], options: options)
    gateway.handle("slow", key: "/box") { (request: Request) in
      started.withLock { $0 += 1 }
      do {
        try await Task.sleep(for: .seconds(60))
      } catch {
        cancelled.withLock { $0 += 1 }
        throw error
      }
      return request.params
    }
    gateway.handle("quick", key: "/box") { (request: Request) in request.params }
    let outcomes = try await ServedGateway.serving(gateway) { served in
      let clients = try (0..<6).map { _ in try served.connect() }
      let last = try served.connect()
      var outcomes: [String] = []
      for (index, client) in clients.enumerated() {
        try client.send(request("slow", #"{"box":"b"}"#))
        // Each is known to have come before the next one does.
        if index > 0 { outcomes.append(try clients[index - 1].outcome(id: 1)) }
        try eventually("it runs") { started.withLock { $0 } == index + 1 ? true : nil }
      }
      outcomes.append(try last.ask("quick", #"{"box":"b"}"#))
      return try [clients[5].outcome(id: 1)] + outcomes
    }
    #expect(outcomes.dropLast().allSatisfy { $0.contains("-32080") })
    #expect(outcomes.last == #""result":{"box":"b"}"#)
    #expect(cancelled.withLock { $0 } == 6)
  }

  @Test func `a cancelled run answers what it has taken, and takes no more`() async throws {
    let (started, gate, log) = (Flag(), Gate(), RecordedLog())
    var gateway = Gateway(listen: ["127.0.0.1:0"], logger: log.logger)
    gateway.handle("slow") { (_: NoParams) in
      started.raise()
      await gate.passed()
      return Task.isCancelled
    }
    let served = try await ServedGateway.start(gateway)
    defer { gate.open() }
    try await onOwnThread {
      let client = try served.connect()
      try client.send(request("slow", id: 1))
      try started.wait()
      served.stop()
      try log.wait(for: "draining")
      #expect(try client.ask("slow", id: 2).hasPrefix(#""error":{"code":-32085,"#))
      try untilNobodyListens(at: served.addresses[0])
      gate.open()
      #expect(try client.outcome(id: 1) == #""result":false"#)
      #expect(try client.receive() == nil)
    }
    try await served.ended()
  }

  @Test func `what has no answer when the time to drain is over is given up`() async throws {
    let (started, cancelled) = (Flag(), Flag())
    var options = GatewayOptions()
    options.drain = .zero
    var gateway = Gateway(listen: ["127.0.0.1:0"], options: options)
    gateway.handle("slow") { (_: NoParams) in try await untilCancelled(started, cancelled) }
    let served = try await ServedGateway.start(gateway)
    try await onOwnThread {
      let client = try served.connect()
      try client.send(request("slow"))
      try started.wait()
      served.stop()
      #expect(try client.outcome(id: 1).hasPrefix(#""error":{"code":-32085,"#))
      try cancelled.wait()
    }
    try await served.ended()
  }

  @Test func `a run ends after its last handler`() async throws {
    let (started, gate, log) = (Flag(), Gate(), RecordedLog())
    let events = Mutex<[String]>([])
    var options = GatewayOptions()
    options.drain = .zero
    var gateway = Gateway(listen: ["127.0.0.1:0"], options: options, logger: log.logger)
    for method in ["request", "notification"] {
      gateway.handle(method) { (_: NoParams) in
        started.raise()
        await gate.passed()
        events.withLock { $0.append("handler") }
      }
    }
    let served = try await ServedGateway.start(gateway)
    let ending = Task {
      try await served.ended()
      events.withLock { $0.append("run") }
    }
    defer { gate.open() }
    try await onOwnThread {
      let client = try served.connect()
      try client.send(request("notification", id: nil))
      try client.send(request("request"))
      try started.wait()
      try started.wait()
      served.stop()
      #expect(try client.outcome(id: 1).hasPrefix(#""error":{"code":-32085,"#))
    }
    // Once its thread is gone, nothing but the handlers is left. A run that did not wait would end meanwhile.
    while log.threads.contains(where: FileManager.default.fileExists) { await Task.yield() }
    for _ in 1...1000 { await Task.yield() }
    gate.open()
    try await ending.value
    #expect(events.withLock { $0 } == ["handler", "handler", "run"])
  }

  @Test func `nothing is left of a run`() async throws {
    let log = RecordedLog()
    let directory = try TemporaryDirectory()
    let path = directory.path + "/socket"
    var gateway = Gateway(listen: ["127.0.0.1:0", "unix:\(path)"], logger: log.logger)
    gateway.handle("echo") { (request: Request) in request.params }
    let (port, threads) = try await ServedGateway.serving(gateway) { served in
      #expect(served.addresses[1] == "unix:\(path)")
      for address in served.addresses {
        let answer = try LineSocket(address).ask("echo", "[7]")
        #expect(answer == #""result":[7]"#)
      }
      let threads = log.threads
      #expect(threads.allSatisfy(FileManager.default.fileExists))
      return (served.addresses[0], threads)
    }
    try untilNobodyListens(at: port)
    #expect(!FileManager.default.fileExists(atPath: path))
    // Its last log line may have come from it, and nobody else logs.
    #expect(threads.count == 1 && log.threads == threads)
    // The kernel takes a thread that was joined off its list a little later.
    while threads.contains(where: FileManager.default.fileExists) { await Task.yield() }
  }

  @Test func `a gateway can run again`() async throws {
    var gateway = Gateway(listen: ["127.0.0.1:0"])
    gateway.handle("echo") { (request: Request) in request.params }
    for _ in 1...3 {
      let answer = try await ServedGateway.serving(gateway) { try $0.connect().ask("echo", "[1]") }
      #expect(answer == #""result":[1]"#)
    }
  }

  @Test func `a run that is cancelled before it begins ends at once`() async throws {
    let gateway = Gateway(listen: ["127.0.0.1:0"])
    let running = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await gateway.run()
    }
    try await running.value
  }

  // MARK: What cannot start

  @Test func `an address in use is told`() async throws {
    let taken = try ListeningSocket()
    let address = "127.0.0.1:\(taken.port)"
    let error = await #expect(throws: GatewayError.self) {
      try await Gateway(listen: ["127.0.0.1:0", address]).run()
    }
    #expect(error?.code == .addressInUse)
    #expect(error?.address == address)
    #expect(error?.description == "cannot listen on \(address): EADDRINUSE: address already in use")
  }

  @Test(arguments: ["", "127.0.0.1", "localhost:http", "unix:"])
  func `an address that is none is told`(address: String) async throws {
    var forwarding = Gateway(listen: ["127.0.0.1:0"])
    forwarding.forward("*", to: address)
    for gateway in [forwarding, Gateway(listen: [address])] {
      let error = await #expect(throws: GatewayError.self) { try await gateway.run() }
      #expect(error?.code == .invalidAddress && error?.address == address)
    }
  }

  @Test(arguments: ["0.0.0.0:0", "[::]:0", "gateway.example:5278"])
  func `an address for others than this machine takes a word that says so`(address: String) async throws {
    let error = await #expect(throws: GatewayError.self) {
      try await Gateway(listen: ["127.0.0.1:0", address]).run()
    }
    #expect(error?.code == .exposedAddress && error?.address == address)
    #expect(error?.description.hasSuffix("say audience = .network in the gateway's options") == true)
  }

  @Test func `with that word it listens for others`() async throws {
    var options = GatewayOptions()
    options.audience = .network
    var gateway = Gateway(listen: ["0.0.0.0:0"], options: options)
    gateway.handle("echo") { (text: [Int]) in text }
    let answer = try await ServedGateway.serving(gateway) { served in
      let port = served.addresses[0].split(separator: ":").last ?? ""
      return try LineSocket("127.0.0.1:\(port)").ask("echo", "[1]")
    }
    #expect(answer == #""result":[1]"#)
  }

  @Test func `an address that is nobody's here is told`() async throws {
    let directory = try TemporaryDirectory()
    let address = "unix:\(directory.path)/none/socket"
    let error = await #expect(throws: GatewayError.self) { try await Gateway(listen: [address]).run() }
    #expect(error?.code == .cannotListen && error?.address == address)
  }
}
