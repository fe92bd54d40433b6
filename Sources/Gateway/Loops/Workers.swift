import GatewayCore
import LibUV
import Logging

/// Servers on threads of their own, one loop each. One thread makes them; once they run it only asks them.
final class Workers {
  let count: Int
  let log: Logger
  private var links: [LoopLinks] = []
  private var loops: [EventLoop] = []
  /// Once they run nobody but their threads may use them.
  private(set) var servers: [GatewayServer] = []
  private var senders: [Mailbox<LoopMail>.Sender] = []
  private var threads: [LoopThread] = []

  /// Starts to listen; nothing is served before `start`.
  init(_ count: Int, log: Logger, _ make: () -> ServerOptions) throws(StartError) {
    self.count = count
    self.log = log
    do throws(StartError) {
      let options = (0..<count).map { _ in make() }
      try makeLoops(seed: options[0].seed)
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
        let links = LoopLinks(LoopPlace(number: number, of: count, seed: seed), board)
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

  /// Asks all of them at once; those that do not answer in time are left out.
  func ask<Value: Sendable>(_ body: @escaping @Sendable (GatewayServer) -> Value) -> [Value] {
    let calls = (0..<count).map { loop in
      let call = LoopCall<Value>()
      tell(loop) { call.answer(body($0)) }
      return call
    }
    return calls.compactMap { $0.wait() }
  }
}

@available(*, unavailable)
extension Workers: Sendable {}
