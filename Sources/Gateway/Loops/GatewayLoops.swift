package import Addresses
import Fleet
package import GatewayCore
package import LibUV
package import Logging
package import TLS

/// A gateway on as many loops as it is to have: from outside it looks like one.
///
/// With one loop nothing is in between: its server is on the loop of the caller. With more, that one serves no clients;
/// each of the others has a thread of its own, and is asked what there is to see.
package final class GatewayLoops {
  private enum Form {
    case here(GatewayServer)
    case apart(Workers)
  }

  /// What loops tell the caller's.
  private enum Report: Sendable {
    case events(TaskJournal.Copy)
    /// It has answered all.
    case stopped
    /// Its children have left, too.
    case ended
  }

  private let form: Form
  private(set) var member: FleetMember?
  private var reports: Mailbox<Report>?
  private var onEvents: ((borrowing TaskJournal) -> Int)?
  private let heard = EventRoom()
  /// Of several loops, how many have not stopped, and how many have not ended.
  private var servingCount = 0
  private var runningCount = 0
  private var onStopped: (() -> Void)?
  private var drains = false
  /// Where it listens, with the ports that the kernel gave.
  package let addresses: [SocketAddress]

  /// Of a gateway that is on the caller's loop.
  package init(_ server: GatewayServer) {
    form = .here(server)
    addresses = server.addresses
  }

  /// Starts to listen. Several loops serve nothing before `start`.
  /// - Parameters:
  ///   - fleet: makes it a member of one.
  ///   - make: gives the options of a loop's server, which shares nothing with others' that changes.
  package init(
    _ clientCount: Int, in fleet: FleetOptions? = nil, on loop: EventLoop, log: Logger,
    _ make: () -> ServerOptions
  ) throws(StartError) {
    guard clientCount > 1 || fleet != nil else {
      let server = try GatewayServer(make(), on: loop, log: log)
      form = .here(server)
      addresses = server.addresses
      return
    }
    let workers = try Workers(clientCount, in: fleet, log: log, make)
    form = .apart(workers)
    (servingCount, runningCount) = (workers.count, workers.count)
    addresses = workers.servers[0].addresses
    do throws(UVError) {
      reports = try Mailbox<Report>(on: loop) { [unowned self] in self.hear($0) }
    } catch {
      workers.abandon()
      throw StartError(cause: error)
    }
    if let fleet { try join(fleet, workers, on: loop, log: log, digest: make().digest) }
  }

  private func join(
    _ fleet: FleetOptions, _ workers: Workers, on loop: EventLoop, log: Logger, digest: UInt64
  ) throws(StartError) {
    let (id, gate) = (MemberID.random(), FleetGate())
    do throws(StartError) {
      let address = try workers.join(fleet, as: id, gate, digest: digest)
      do throws(UVError) {
        member = try FleetMember(fleet, as: id, at: address, gate, workers, on: loop, log: log)
      } catch {
        throw StartError(cause: error)
      }
    } catch {
      abandon()
      throw error
    }
  }

  /// Serves; with one loop that is done when the caller's runs.
  package func start() throws(StartError) {
    guard case .apart(let workers) = form, let reports else { return }
    try workers.start { [sender = reports.sender] in sender.send(.ended) }
    member?.start()
  }

  package var count: Int {
    switch form {
    case .here: 1
    case .apart(let workers): workers.count
    }
  }

  /// Has each loop do something, between events.
  func tellAll(_ body: @escaping @Sendable (GatewayServer) -> Void) {
    switch form {
    case .here(let server): body(server)
    case .apart(let workers): workers.tellAll(body)
    }
  }

  func ask<Value: Sendable>(_ body: @escaping @Sendable (GatewayServer) -> Value) -> [Value] {
    switch form {
    case .here(let server): [body(server)]
    case .apart(let workers): workers.ask(body)
    }
  }

  /// Looks at each loop, also at one that stands still.
  func look<Value: Sendable>(_ body: @escaping @Sendable (GatewayServer) -> Value) -> [Value] {
    switch form {
    case .here(let server): [body(server)]
    case .apart(let workers): workers.look(body)
    }
  }

  /// Has each loop do something, and waits until they have.
  private func carryOut(_ body: @escaping @Sendable (GatewayServer) -> Void) {
    switch form {
    case .here(let server): body(server)
    case .apart(let workers): workers.carryOut(body)
    }
  }

  // MARK: Its life

  package var isDraining: Bool {
    switch form {
    case .here(let server): server.isDraining
    case .apart: drains
    }
  }

  /// Before anything has begun.
  package func setLogSink(_ sink: LogSink) { tellAll { $0.logSink = sink } }

  /// - Parameter logs: one for each loop.
  package func keep(audit logs: [AuditLog?]) {
    precondition(logs.count == count, "each loop has a log of its own")
    switch form {
    case .here(let server): server.keep(audit: logs[0])
    case .apart(let workers):
      for (loop, log) in logs.map(Handover.init).enumerated() {
        workers.tell(loop) { $0.keep(audit: log.value) }
      }
    }
  }

  /// What one thread has made and another has from now on.
  private struct Handover<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  /// New bounds, times, routes and listener options for what comes from now on.
  package func reconfigure(_ configuration: GatewayConfiguration) {
    let dealt = configuration.dealt(over: count)
    // It is in force at all loops before anybody is told so.
    carryOut { $0.reconfigure(dealt) }
  }

  /// Other certificates for what comes from now on.
  /// - Parameter fleet: nil: there are none, or they stay.
  package func renew(listeners: [TLSContext?], upstreams: [TLSContext?], fleet: FleetTLS?) {
    // They do not change.
    let contexts = Handover((listeners, upstreams))
    carryOut { $0.renew(listeners: contexts.value.0, upstreams: contexts.value.1, fleet: fleet) }
  }

  /// Nothing has begun.
  package func abandon() {
    switch form {
    case .here(let server): server.abandon()
    case .apart(let workers):
      member?.close()
      workers.abandon()
      reports?.close()
    }
  }

  /// Stops accepting and refuses new work; `onStopped` follows once everything that came has been answered, be it
  /// because the drain deadline passed.
  package func drain(onStopped: @escaping () -> Void) {
    guard case .apart(let workers) = form else {
      if case .here(let server) = form { server.drain(onStopped: onStopped) }
      return
    }
    guard !drains, let reports else { return }
    drains = true
    self.onStopped = onStopped
    // Once its callback is called, no loop takes anything new.
    let open = workers.ask { [sender = reports.sender] server in
      // What other members ask is answered until they ask another.
      if server.owning == nil { server.drain { sender.send(.stopped) } }
      return (server.core.gauges.requests, server.core.configuration)
    }
    GatewayServer.tellDraining(open.reduce(0) { $0 + $1.0 }, to: workers.log)
    let configuration = open.first?.1 ?? GatewayConfiguration()
    member?.leave(
      within: configuration.server.drainMilliseconds,
      endingWithin: configuration.fleet.handoverMilliseconds + configuration.longestDrainMilliseconds
    ) { [sender = reports.sender] in
      workers.tell(workers.owner) { $0.drain { sender.send(.stopped) } }
    }
  }

  private func hear(_ report: Report) {
    switch report {
    case .events(let copy):
      let journal = TaskJournal(copy)
      heard.set(onEvents?(journal) ?? 0)
    case .stopped:
      servingCount -= 1
      guard servingCount == 0, case .apart(let workers) = form else { return }
      GatewayServer.tellStopped(to: workers.log)
      member?.close()
      let onStopped = onStopped
      self.onStopped = nil
      onStopped?()
    case .ended:
      runningCount -= 1
      guard runningCount == 0, case .apart(let workers) = form else { return }
      workers.join()
      reports?.close()
      reports = nil
    }
  }

  /// Whether every loop turns.
  package var isAlive: Bool {
    switch form {
    case .here: true
    case .apart(let workers): workers.ask { _ in true }.count >= workers.answeringCount
    }
  }

  /// The children of all, at once.
  package func killChildren() {
    carryOut { $0.loop.killChildren() }
  }

  // MARK: What happens

  /// Measures how long turns take from now on; `metrics` shows it.
  package func measureLag() { tellAll { $0.measureLag() } }

  /// Tells at the end of each turn what happened to tasks in it, or nobody any more.
  /// - Parameter onEvents: returns how many events it takes from then on.
  package func watch(_ onEvents: ((borrowing TaskJournal) -> Int)?) {
    guard case .apart(let workers) = form, let reports else {
      if case .here(let server) = form { server.watch(onEvents) }
      return
    }
    self.onEvents = onEvents
    guard onEvents != nil else { return workers.tellAll { $0.watch(nil) } }
    workers.tellAll { [heard, sender = reports.sender] server in
      let place = server.links?.place ?? .alone
      server.watch { journal in
        if !journal.events.isEmpty || journal.leftOutCount > 0 {
          sender.send(.events(journal.copy(of: place)))
        }
        return heard.count / place.count
      }
    }
  }

  /// The watcher takes so many events from now on.
  package func hear(ofEvents limitEvents: Int) {
    heard.set(limitEvents)
    let part = limitEvents / count
    tellAll { $0.hear(ofEvents: part) }
  }
}

@available(*, unavailable)
extension GatewayLoops: Sendable {}
