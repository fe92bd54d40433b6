package import Gateway
import GatewayCore
import HTTP1
import JSONRPC
package import LibUV
import TaskStore

/// The admin pages' view of a running gateway: its measures, its fullest lanes, its tasks' events while somebody
/// watches, and the playground.
package final class GatewayView {
  private let gateway: GatewayLoops
  private let loop: EventLoop
  private let build: BuildName
  private let startMilliseconds = ProcessUsage.wallMilliseconds
  let feed: EventFeed
  private let playground: Playground
  private var playgroundTimer: PreciseTimer?
  private var principalSeries = PrincipalSeries()

  package init(of gateway: GatewayLoops, build: BuildName, on loop: EventLoop) throws(UVError) {
    self.gateway = gateway
    self.loop = loop
    self.build = build
    playground = Playground(nowMilliseconds: loop.nowMilliseconds)
    feed = try EventFeed(of: gateway, version: build.version, on: loop)
    do throws(UVError) {
      playgroundTimer = try PreciseTimer(on: loop) { [unowned self] in self.playgroundIsDue() }
    } catch {
      feed.close()
      throw error
    }
    gateway.measureLag()
  }

  package func close() {
    feed.close()
    playgroundTimer?.close()
    playgroundTimer = nil
  }

  /// Adds the pages to those of a listener, which has to be closed before this.
  package func addPages(to server: AdminServer) {
    server.add("/metrics") { [unowned self] _ in metrics }
    server.add("/keys") { [unowned self] _ in keys }
    server.addStream("/events") { [unowned self] _, stream in feed.add(stream) }
    server.add("/principals") { [unowned self] _ in principals }
    server.add("/connections") { [unowned self] in connections($0) }
    if gateway.isMember {
      server.add("/fleet") { [unowned self] in fleet($0) }
      server.addAction("/fleet/drain") { [unowned self] in drainMember($0) }
    }
    server.addAction("/evict") { [unowned self] in evict($0) }
    server.addPlaying("/playground/send") { [unowned self] request in send(request) }
    server.addPlaying("/playground/reset") { [unowned self] _ in reset() }
  }

  // MARK: Pages

  private var metrics: HTTPResponse {
    let process = ProcessUsage.now(startMilliseconds: startMilliseconds)
    var metrics = gateway.metrics
    metrics.principals = principalSeries.views(of: metrics)
    let text = MetricsText.of(metrics, feed.watch, process, build, gateway.fleetStatus)
    return HTTPResponse(type: MetricsWriter.contentType, text)
  }

  private var keys: HTTPResponse {
    let lanes = gateway.fullestLanes(limit: KeysText.limitLanes, taskLimit: KeysText.limitTasks)
    // People read it in terminals, too.
    return .json(KeysText.of(lanes, total: gateway.laneCount) + [UInt8(ascii: "\n")])
  }

  // MARK: Clients

  private var principals: HTTPResponse {
    .json(ClientsText.of(gateway.principals) + [UInt8(ascii: "\n")])
  }

  private func connections(_ request: HTTPRequest) -> HTTPResponse {
    let views = gateway.connections(
      of: request.target.parameter("principal"), limit: ClientsText.limitConnections)
    return .json(ClientsText.of(views) + [UInt8(ascii: "\n")])
  }

  private func evict(_ request: HTTPRequest) -> HTTPResponse {
    let count: Int
    switch (request.target.parameter("principal"), request.target.parameter("connection")) {
    case (let principal?, nil): count = gateway.evict(principal: principal)
    case (nil, let text?):
      guard let number = UInt64(text) else { fallthrough }
      count = gateway.evict(connection: number)
    default: return .text("say whom: ?principal=NAME or ?connection=NUMBER, one of them\n", .badRequest)
    }
    return .json(Array("{\"evicted\":\(count)}\n".utf8))
  }

  // MARK: The fleet

  private func fleet(_ request: HTTPRequest) -> HTTPResponse {
    guard let status = gateway.fleetStatus else { return .text("this gateway is in no fleet\n", .notFound) }
    if request.target.parameter("format") == "text" { return .text(FleetText.lines(status)) }
    return .json(FleetText.json(status) + [UInt8(ascii: "\n")])
  }

  private func drainMember(_ request: HTTPRequest) -> HTTPResponse {
    let name = request.target.parameter("member")
    return switch gateway.drainMember(name) {
    case .begun: .text("it gives its keys away\n")
    case .noFleet: .text("this gateway is in no fleet\n", .notFound)
    case .unknown: .text("no member is called that\n", .badRequest)
    case .ambiguous: .text("several members are called that\n", .badRequest)
    case .hasNone: .text("this member has no keys\n", .badRequest)
    case .isLast: .text("no other member is there that could have its keys\n", .badRequest)
    case .unreachable: .text("it is not connected to this member: ask it itself, or another\n", .unavailable)
    }
  }

  // MARK: The playground

  private func send(_ request: HTTPRequest) -> HTTPResponse {
    let name = request.target.parameter("pane") ?? ""
    guard let pane = PlaygroundPane.all.first(where: { $0.name == name }) else {
      let names = PlaygroundPane.all.map(\.name).joined(separator: ", ")
      return .text("pane must be one of \(names)\n", .badRequest)
    }
    let work = request.target.parameter("ms").map { UInt64($0) } ?? Playground.usualWorkMilliseconds
    guard let work, work <= Playground.longestWorkMilliseconds else {
      return .text("ms must be 0 to \(Playground.longestWorkMilliseconds)\n", .badRequest)
    }
    let from = request.target.parameter("from") ?? PlaygroundCaller.ann.rawValue
    guard let caller = PlaygroundCaller(rawValue: from) else {
      let names = PlaygroundCaller.allCases.map(\.rawValue).joined(separator: ", ")
      return .text("from must be one of \(names)\n", .badRequest)
    }
    let isTaken = playground.send(pane, from: caller, workMilliseconds: work, at: loop.nowMilliseconds)
    showPlayground()
    guard isTaken else { return .text("too many requests in the playground\n", .tooManyRequests) }
    return .json(Array("{}".utf8))
  }

  private func reset() -> HTTPResponse {
    playground.reset(at: loop.nowMilliseconds)
    showPlayground()
    return .json(Array("{}".utf8))
  }

  private func playgroundIsDue() {
    playground.timeAdvanced(to: loop.nowMilliseconds)
    showPlayground()
  }

  private func showPlayground() {
    if let frame = playground.takeFrame() { feed.send("play", frame) }
    if let due = playground.nextDueMilliseconds { playgroundTimer?.start(atMilliseconds: due) }
  }
}

@available(*, unavailable)
extension GatewayView: Sendable {}
