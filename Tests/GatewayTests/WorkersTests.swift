import Addresses
import GatewayCore
import Glibc
import Logging
import Synchronization
import Testing

@testable import Gateway

/// What is asked of several loops at once.
@Suite struct WorkersTests {
  @Test func `a loop that stands still is told, too, and nobody waits for it`() throws {
    let nowhere = SocketAddress.tcp(host: "127.0.0.1", port: 1)
    let workers = try Workers(
      1, in: FleetOptions(name: "f", engine: [], listen: nowhere, secret: []),
      log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
    ) {
      ServerOptions(listen: [], upstreams: [ServerOptions.Upstream(.address(nowhere))], seed: 1)
    }
    let gate = FleetGate()
    workers.gate = gate
    try workers.start {}
    // Where the member may not act, the loop with the partitions does nothing.
    workers.tell(workers.owner) { _ in _ = gate.wait(in: 0) }
    while !gate.isHolding { usleep(1_000) }
    let told = Told()
    workers.carryOut { told.add($0.links?.place.number ?? -1) }
    #expect(told.numbers == [0])
    // It is looked at all the same.
    #expect(workers.look { $0.links?.place.number ?? -1 } == [0, 1])
    gate.end()
    while gate.isHolding { usleep(1_000) }
    _ = workers.ask { _ in true }
    #expect(told.numbers == [0, 1])
    workers.tellAll { $0.drain {} }
    workers.join()
  }

  @Test func `each loop has the same names for listeners, also of those where it does not listen`() throws {
    let workers = try workers(2, listeners: 3)
    let names = (0..<4).map { workers.servers[0].name(ofListener: $0) }
    #expect(Set(names).count == 4 && names.last == "stdio")
    // Sessions of MCP come to the first loop only.
    #expect(workers.servers[1].listeners.map { $0 == nil } == [false, true, false])
    #expect((0..<4).map { workers.servers[1].name(ofListener: $0) } == names)
    workers.abandon()
  }

  @Test func `so has the loop with a member's partitions, to which no client comes`() throws {
    let nowhere = SocketAddress.tcp(host: "127.0.0.1", port: 1)
    let workers = try workers(
      1, in: FleetOptions(name: "f", engine: [], listen: nowhere, secret: []), listeners: 2)
    let names = (0..<3).map { workers.servers[0].name(ofListener: $0) }
    #expect(Set(names).count == 3)
    #expect((0..<3).map { workers.servers[workers.owner].name(ofListener: $0) } == names)
    workers.abandon()
  }

  /// They have not begun; of several listeners the second is for sessions of MCP, too.
  private func workers(_ count: Int, in fleet: FleetOptions? = nil, listeners: Int) throws -> Workers {
    try Workers(count, in: fleet, log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }) {
      var options = ServerOptions(
        listen: (0..<listeners).map { _ in .tcp(host: "127.0.0.1", port: 0) },
        upstreams: [ServerOptions.Upstream(.address(.tcp(host: "127.0.0.1", port: 1)))], seed: 1)
      options.core.server.clients = (0..<listeners).map { _ in ClientProtocols() }
      options.core.server.clients[1].mcpPath = "/mcp"
      return options
    }
  }

  private final class Told: Sendable {
    private let value = Mutex<[Int]>([])
    var numbers: [Int] { value.withLock { $0.sorted() } }
    func add(_ number: Int) { value.withLock { $0.append(number) } }
  }
}
