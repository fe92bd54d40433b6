import Addresses
import Fleet
import GatewayCore
import Glibc
import LibUV
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// What the loop with a member's partitions writes when the member may not act any more.
@Suite struct OwningLinksTests {
  /// A line that is written before the turn's end.
  private static let request =
    #"{"jsonrpc":"2.0","id":1,"method":"m","params":[""# + String(repeating: "x", count: paramBytes)
    + "\"]}\n"
  private static let paramBytes = 40_000

  private let scene: LoopScene
  private let workers: Workers
  private let gate = FleetGate()
  private let upstreams: Arrivals

  /// The connections that both loops have made to their upstream.
  private final class Arrivals {
    var listener: Listener?
    var peers: [Peer] = []
  }

  init() throws {
    let (scene, upstreams) = (try LoopScene(), Arrivals())
    (self.scene, self.upstreams) = (scene, upstreams)
    let nowhere = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    let listener = try Listener(on: scene.loop, address: nowhere) {
      upstreams.peers.append(Peer($0))
      $0.startReading()
    }
    upstreams.listener = listener
    let fleet = FleetOptions(name: "f", engine: [], listen: nowhere, secret: [])
    workers = try Workers(1, in: fleet, log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }) {
      ServerOptions(listen: [], upstreams: [ServerOptions.Upstream(.address(listener.address))], seed: 1)
    }
    gate.set(until: .max)
    _ = try workers.join(fleet, as: MemberID(high: 1, low: 1), gate, digest: 0)
    try workers.start {}
    scene.until { upstreams.peers.count == 2 }
    while workers.ask({ $0.areUpstreamsConnected }) != [true, true] { usleep(1_000) }
  }

  private func end() {
    gate.end()
    workers.tellAll { server in
      server.endRequests()
      server.drain {}
    }
    workers.join()
    upstreams.listener?.close()
    for peer in upstreams.peers { peer.stream.close() }
    scene.end()
  }

  private func awaitHolding() { while !gate.isHolding { usleep(1_000) } }

  private var receivedCount: Int { upstreams.peers.reduce(0) { $0 + $1.received.count } }

  @Test func `what was decided is not written before the turn's end once the permit is over`() {
    workers.tell(workers.owner) { [gate] server in
      let transport = ClientTransportDouble()
      server.accept(transport, 0)
      let bytes = Array(Self.request.utf8) + [UInt8](repeating: 0, count: EventLoop.slackByteCount)
      server.now()
      server.core.received(bytes.span, count: Self.request.utf8.count, from: transport.client)
      gate.set(until: .min)
      server.flushEarly()
    }
    awaitHolding()
    scene.turns(10)
    #expect(receivedCount == 0)
    // Nobody has taken anything: it goes on.
    gate.set(until: .max)
    scene.until { [upstreams] in
      upstreams.peers.contains { $0.received.count > Self.paramBytes }
    }
    end()
  }

  @Test func `a declared death resets connections at once, and what is decided then is not written`() {
    let (gate, seen) = (self.gate, Seen())
    workers.tell(workers.owner) { server in
      gate.set(until: .min)
      // An event comes. It stands still, and hears of the death when it goes on.
      server.now()
      for _ in 0..<20_000 where !seen.isSet { usleep(1_000) }
      let transport = ClientTransportDouble()
      server.accept(transport, 0)
      let bytes = Array(Self.request.utf8) + [UInt8](repeating: 0, count: EventLoop.slackByteCount)
      server.client(transport.client, received: bytes.span, count: Self.request.utf8.count)
      seen.wasInTime = seen.isSet
    }
    awaitHolding()
    gate.beginLife()
    scene.until { [upstreams] in upstreams.peers.contains { $0.hasHeardAll } }
    seen.isSet = true
    // The turn has ended, in the next life.
    awaitHolding()
    #expect(seen.wasInTime)
    scene.turns(10)
    #expect(receivedCount == 0)
    end()
  }

  private final class Seen: Sendable {
    private let ended = Atomic<Bool>(false)
    private let inTime = Atomic<Bool>(false)
    var isSet: Bool {
      get { ended.load(ordering: .acquiring) }
      set { ended.store(newValue, ordering: .releasing) }
    }
    var wasInTime: Bool {
      get { inTime.load(ordering: .acquiring) }
      set { inTime.store(newValue, ordering: .releasing) }
    }
  }
}
