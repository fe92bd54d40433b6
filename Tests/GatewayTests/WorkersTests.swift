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

  private final class Told: Sendable {
    private let value = Mutex<[Int]>([])
    var numbers: [Int] { value.withLock { $0.sorted() } }
    func add(_ number: Int) { value.withLock { $0.append(number) } }
  }
}
