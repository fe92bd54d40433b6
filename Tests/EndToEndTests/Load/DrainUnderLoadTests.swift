import Foundation
import TaskStore
import TestSupport
import Testing

/// SIGTERM and SIGHUP in the middle of a load: nothing is lost, and nothing is disturbed.
///
/// What can be promised: the gateway reads a connection in order, and whatever it has read gets one reply before the
/// connection ends. What was sent before the signal was surely there to be read. What a client sends while the gateway
/// ends its side may remain unread: that is the newest of its requests, and upstream never heard of any.
@Suite struct DrainUnderLoadTests {
  private let directory: TemporaryDirectory
  private let record: UpstreamRecord
  private let upstream: RunningProgram
  private let address: String

  init() throws {
    directory = try TemporaryDirectory()
    record = UpstreamRecord(path: directory.path + "/record")
    upstream = try RunningProgram(
      Programs.python, UpstreamKind.tcp.command(record, in: directory, at: nil))
    address = try #require(upstream.outputLine())
  }

  // MARK: Draining

  @Test(arguments: [60_000, 0])
  func `a drain under load loses no reply`(drainMilliseconds: Int) throws {
    let gateway = try RunningGateway(upstream: address, ["--drain-ms", "\(drainMilliseconds)"])
    let load = SteadyLoad(on: gateway)
    #expect(load.progress.wait(forReplies: 3_000))
    let before = load.clients.map(\.surelySentCount)
    gateway.program.signal(SIGTERM)
    #expect(gateway.program.exitStatus() == 0)
    load.end()

    #expect(load.faults == [])
    let counts = load.counts()
    #expect(Set(counts.keys).isSubset(of: [0, -32080, -32081, -32085]), "\(counts)")
    #expect(counts[0, default: 0] > 0 && counts[-32085, default: 0] > 0, "\(counts)")
    let heard = Set(try record.heard().compactMap(\.marker))
    for (client, before) in zip(load.clients, before) {
      let lost = client.unansweredNumbers
      #expect(lost.first ?? .max > before, "client \(client.number), of the first \(before): \(lost)")
      #expect(lost.isEmpty || lost.count == lost.last! - lost.first! + 1, "not the newest only: \(lost)")
      #expect(lost.allSatisfy { !heard.contains(client.marker(of: $0)) })
    }
    #expect(try record.heard().repetitions == [])
  }

  // MARK: Reloading

  @Test func `a reload under load disturbs no task`() throws {
    let other = try ListeningSocket()
    let path = directory.path + "/lastword.toml"
    let configurations = [
      file(other, bounds: "", route: "timeoutMs = 3600000"),
      file(
        other, bounds: "queuePerLane = 1\nunansweredPerConnection = 100000\ntasksPerConnection = 100000",
        route: "timeoutMs = 1"),
    ]
    func write(_ number: Int) throws {
      try Data(configurations[number].utf8).write(to: URL(fileURLWithPath: path))
    }
    try write(0)
    let gateway = try RunningGateway(["--config", path], listen: [])
    let holder = try other.acceptGateway()
    let client = try gateway.connect()
    try client.send(request(1, "held"))
    let held = try holder.asked()

    let load = SteadyLoad(on: gateway)
    for number in 1...20 {
      #expect(load.progress.wait(forReplies: 300))
      try write(number % 2)
      gateway.program.signal(SIGHUP)
      try gateway.awaitLog("configuration reloaded")
      try expectNewTerms(number % 2, client, holder)
    }
    load.end()

    #expect(load.faults == [])
    #expect(load.clients.allSatisfy { $0.unansweredNumbers == [] })
    expectOnlyWhatQueuesIsRefused(load)
    #expect(try record.heard().repetitions == [])

    try holder.answer(held.id!, "on the old terms")
    #expect(try client.reply().result == "on the old terms")
    #expect(try client.isInStep())
    #expect(gateway.stop() == 0)
  }

  /// The bound that comes and goes is that of a key's queue.
  private func expectOnlyWhatQueuesIsRefused(_ load: SteadyLoad) {
    for policy in DuplicatePolicy.allCases.map(Optional.some) + [nil] {
      let codes = Set(load.counts { $0.policy == policy }.keys).subtracting([0, -32080, -32081])
      // What an answer supersedes drains, and while too much of a key does, the next ones queue.
      let mayQueue = [.wait, .onAnswer].contains(policy)
      #expect(codes.isSubset(of: mayQueue ? [-32082] : []), "\(policy?.name ?? "no key"): \(codes)")
    }
    #expect(load.counts { $0.policy == .wait }[-32082, default: 0] > 0)
  }

  /// A request of the route that has a millisecond in one configuration, and all the time in the other.
  private func expectNewTerms(_ number: Int, _ client: LineSocket, _ holder: LineSocket) throws {
    try client.send(request(2, "held"))
    let asked = try holder.asked()
    if number == 0 { try holder.answer(asked.id!, "in time") }
    let reply = try client.reply()
    #expect(reply.id == 2 && (number == 0 ? reply.result == "in time" : reply.code == -32083), "\(reply)")
    if number == 1 { #expect(try holder.asked().cancelled == asked.id) }
  }

  private func file(_ other: ListeningSocket, bounds: String, route: String) -> String {
    """
    [[listen]]
    address = "127.0.0.1:0"
    [[upstream]]
    name = "main"
    address = "\(address)"
    [[upstream]]
    name = "other"
    address = "\(other.address)"
    [bounds]
    \(bounds)
    [[route]]
    method = "held"
    upstream = "other"
    \(route)
    """
  }
}
