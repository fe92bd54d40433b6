import Foundation
import TestSupport
import Testing

/// A load on a gateway whose upstreams are killed, stopped and started again all the time.
@Suite(.serialized) struct ChaosTests {
  /// `LASTWORD_CHAOS_SECONDS=3600` for a long one, for each kind of upstream.
  static let seconds = number("LASTWORD_CHAOS_SECONDS") ?? 10
  static let seed = UInt64(number("LASTWORD_CHAOS_SEED") ?? 1)

  /// What the process may grow by, however long it lasts.
  static let growthBytes = 32 * 1024 * 1024
  /// Kept open for the next request, by one endpoint.
  static let idleConnections = 8

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(arguments: [(UpstreamKind.tcp, 2), (.exec, 0), (.ownExec, 0), (.http, 2)])
  func `whatever happens to upstreams, each request gets one reply and is sent once at most`(
    kind: UpstreamKind, servers: Int
  ) throws {
    let directory = try TemporaryDirectory()
    let record = UpstreamRecord(path: directory.path + "/record")
    let havoc = try ChaosHavoc(kind, servers: servers, record, in: directory, seed: Self.seed)
    let text = Self.file(kind, havoc.addresses, kind.command(record, in: directory, at: nil))
    let gateway = try RunningGateway(configured: text, in: directory, reachesUpstream: kind.connectsAtOnce)
    try Self.expectServed(gateway, 1)
    let descriptors = try gateway.openDescriptors()
    let before = try gateway.program.peakResidentBytes()

    let load = ChaosLoad(on: gateway, seed: Self.seed, mayBeCutOff: kind == .ownExec)
    let end = ContinuousClock.now + .seconds(Self.seconds)
    while ContinuousClock.now < end, load.progress.wait(forReplies: havoc.nextPause()) {
      try havoc.act(on: gateway)
    }
    try havoc.end(on: gateway)
    let (faults, counts) = load.end()
    let replies = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("\(kind.rawValue): \(replies); \(havoc.acts)")
    #expect(faults == [])
    #expect(counts["result", default: 0] > 0 && counts["-32080", default: 0] > 0, "\(counts)")
    #expect(counts["-32084", default: 0] > 0, "\(counts)")

    try Self.expectServed(gateway, 2)
    let idle = kind == .http ? servers * Self.idleConnections : 0
    try expectEventually("all descriptors are closed") { try gateway.openDescriptors() <= descriptors + idle }
    #expect(try gateway.program.peakResidentBytes() - before < Self.growthBytes)
    #expect(gateway.stop() == 0)
    try expectEventually("no child is left") {
      try record.processes().allSatisfy { havoc.processes.contains($0) || !isRunning($0) }
    }
    try Self.expectNothingRepeated(record)
  }

  private static func file(_ kind: UpstreamKind, _ addresses: [String], _ command: [String]) -> String {
    let places = addresses.isEmpty ? [command.asChild] : addresses
    let settings = kind == .http ? "maxConnections = \(idleConnections)" : "framing = \"\(kind.framing)\""
    return """
      [bounds]
      firstBackOffMs = 10
      lastBackOffMs = 100
      connectMs = 200
      drainMs = 500
      orphanMs = 1000
      [[listen]]
      address = "127.0.0.1:0"
      [[upstream]]
      name = "main"
      addresses = [\(places.map { "\"\($0)\"" }.joined(separator: ", "))]
      perConnection = \(kind == .ownExec)
      \(kind.isChild ? "graceMs = 100" : "")
      \(settings)
      """
  }

  private static func expectServed(_ gateway: RunningGateway, _ id: Int) throws {
    let client = try gateway.connect()
    // The first attempts may still meet what is just starting.
    try expectEventually("a request is served") {
      try Reply(client.call(request(id, "echo", "[]"))).code == nil
    }
  }

  /// No request was sent twice, and none cancelled twice or elsewhere than where it was sent.
  private static func expectNothingRepeated(_ record: UpstreamRecord) throws {
    let heard = try record.heard()
    #expect(heard.repetitions == [])
    let places = Dictionary(heard.compactMap { message in message.id.map { ($0, message.place) } }) { $1 }
    let cancels = heard.filter { $0.cancelled != nil }
    #expect(Set(cancels.map { $0.cancelled! }).count == cancels.count)
    #expect(cancels.allSatisfy { places[$0.cancelled!] == $0.place })
    let aborted = try record.aborted()
    #expect(Set(aborted).count == aborted.count)
  }
}

extension HeardMessage {
  /// The connection that it came over, among those of all processes.
  fileprivate var place: [Int] { [Int(process), connection] }
}

extension RunningGateway {
  func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/fd").count
  }
}
