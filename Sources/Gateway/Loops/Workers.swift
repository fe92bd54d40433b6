import Addresses
import Fleet
import GatewayCore
import LibUV
import Logging

/// Servers on threads of their own, one loop each. One thread makes them; once they run it only asks them.
final class Workers {
  /// All of them: in a fleet there is one more than have clients, which is the last.
  let count: Int
  let log: Logger
  private let isInFleet: Bool
  private var links: [LoopLinks] = []
  private var loops: [EventLoop] = []
  /// Once they run nobody but their threads may use them.
  private(set) var servers: [GatewayServer] = []
  private var senders: [Mailbox<LoopMail>.Sender] = []
  private var threads: [LoopThread] = []

  /// Starts to listen; nothing is served before `start`.
  init(
    _ clientCount: Int, in fleet: FleetOptions? = nil, log: Logger, _ make: () -> ServerOptions
  ) throws(StartError) {
    isInFleet = fleet != nil
    count = fleet == nil ? clientCount : clientCount + 1
    self.log = log
    do throws(StartError) {
      let options = (0..<count).map { _ in make() }
      try makeLoops(seed: fleet?.seed ?? options[0].seed)
      for (links, options) in zip(links, options) { try addServer(options, links) }
    } catch {
      abandon()
      throw error
    }
  }

  private func makeLoops(seed: UInt64) throws(StartError) {
    let board = LoopBoard(loops: count)
    do throws(UVError) {
      for number in 0..<count {
        let links = LoopLinks(LoopPlace(number: number, of: count, seed: seed, isInFleet: isInFleet), board)
        let loop = try EventLoop()
        senders.append(try links.open(on: loop))
        loops.append(loop)
        self.links.append(links)
      }
    } catch {
      throw StartError(cause: error)
    }
    for links in links { links.connect(senders) }
  }

  private func addServer(_ made: ServerOptions, _ links: LoopLinks) throws(StartError) {
    var options = made.dealt(over: count)
    options.seed &+= UInt64(links.place.number)
    if links.place.isOwner { options.listen = [] }
    var log = log
    log[metadataKey: "loop"] = .stringConvertible(links.place.number)
    let server = try GatewayServer(
      options, on: loops[links.place.number], log: log, links: links, besides: servers.first)
    links.onMail = { [unowned server] in server.received($0) }
    servers.append(server)
  }

  /// Nothing has begun.
  func abandon() {
    for server in servers { server.abandon() }
    for links in links { links.close() }
  }

  // MARK: A fleet

  /// In a fleet the loop with the partitions.
  var owner: Int { count - 1 }
  /// It stands still at the moment: nobody waits for its answers.
  var gate: FleetGate?

  /// Has its loops be a member's: starts to listen for others'.
  /// - Returns: where that is.
  func join(_ fleet: FleetOptions, as id: MemberID, _ gate: FleetGate, digest: UInt64) throws(StartError)
    -> SocketAddress
  {
    self.gate = gate
    for (number, server) in servers.enumerated() where number != owner {
      server.asking = AskingLinks(of: server, fleet, as: id, gate, digest: digest)
      links[number].remote = server.asking
    }
    let owning = try OwningLinks(of: servers[owner], fleet, as: id, gate, digest: digest)
    servers[owner].owning = owning
    links[owner].remote = owning
    return owning.address ?? fleet.listen
  }

  private func answers(_ loop: Int) -> Bool { loop != owner || gate?.isHolding != true }

  // MARK: Threads

  /// What one thread has made and another has from now on.
  private struct Handover: @unchecked Sendable { let loop: EventLoop }

  /// - Parameter onEnded: called by each thread when nothing is left of its loop to run.
  func start(_ onEnded: @escaping @Sendable () -> Void) throws(StartError) {
    for loop in loops {
      let handover = Handover(loop: loop)
      do throws(UVError) {
        threads.append(
          try LoopThread {
            handover.loop.run()
            onEnded()
          })
      } catch {
        throw StartError(cause: error)
      }
    }
  }

  /// All have ended: what they left is this thread's again.
  func join() {
    for thread in threads { thread.join() }
    threads = []
    for links in links { links.close() }
  }

  // MARK: Asking

  /// Has a loop do something, without waiting for it.
  func tell(_ loop: Int, _ body: @escaping @Sendable (GatewayServer) -> Void) {
    // Before they run there is only one thread.
    if threads.isEmpty { body(servers[loop]) } else { senders[loop].send(.call(body)) }
  }

  func tellAll(_ body: @escaping @Sendable (GatewayServer) -> Void) {
    for loop in 0..<count { tell(loop, body) }
  }

  /// Has all of them do something, and waits for those that can be asked at the moment: the other does it once it goes on.
  func carryOut(_ body: @escaping @Sendable (GatewayServer) -> Void) {
    let calls = (0..<count).compactMap { loop -> LoopCall<Void>? in
      let call = LoopCall<Void>()
      let isWaitedFor = answers(loop)
      tell(loop) { call.answer(body($0)) }
      return isWaitedFor ? call : nil
    }
    for call in calls { _ = call.wait() }
  }

  /// How many can be asked at the moment.
  var answeringCount: Int { (0..<count).count(where: answers) }

  /// Looks at all loops at once, also at one that stands still; loops that do not answer in time are left out.
  /// - Parameter body: decides nothing.
  func look<Value: Sendable>(_ body: @escaping @Sendable (GatewayServer) -> Value) -> [Value] {
    let calls = (0..<count).map { loop in
      let call = LoopCall<Value>()
      look(at: loop) { call.answer(body($0)) }
      return call
    }
    return calls.compactMap { $0.wait() }
  }

  private func look(at loop: Int, _ body: @escaping @Sendable (GatewayServer) -> Void) {
    let server = Looked(server: servers[loop])
    if loop == owner, let gate, gate.look({ body(server.server) }) { return }
    tell(loop, body)
  }

  /// Its own thread looks at it.
  private struct Looked: @unchecked Sendable { let server: GatewayServer }

  /// Asks all of them at once; those that do not answer in time are left out.
  func ask<Value: Sendable>(_ body: @escaping @Sendable (GatewayServer) -> Value) -> [Value] {
    let calls = (0..<count).filter(answers).map { loop in
      let call = LoopCall<Value>()
      tell(loop) { call.answer(body($0)) }
      return call
    }
    return calls.compactMap { $0.wait() }
  }
}

@available(*, unavailable)
extension Workers: Sendable {}
