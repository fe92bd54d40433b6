import Addresses
import Configuration
import Demo
import Gateway
import GatewayCore
import LibUV
import Logging
import Upstreams

/// Owns the servers of the demo's search boxes: a search server, and a gateway before another search server.
final class DemoServers {
  /// The kernel chooses the port: any other might be in use.
  private static let anyPort = SocketAddress.tcp(host: "127.0.0.1", port: 0)

  /// Each side has a handler of its own, so that its work is counted separately.
  private let directHandler: DemoHandler
  private let gatewayHandler: DemoHandler
  private let late: Mailbox<Int>
  private var direct: HandlerServer?
  private var upstream: HandlerServer?
  private var gateway: GatewayServer?
  private var pages: AdminPages?

  /// - Parameter onUpstreamAnswer: called with each query that the gateway's upstream has answered.
  init(
    _ search: FileSearch, _ options: DemoOptions, on loop: EventLoop,
    onUpstreamAnswer: @escaping (Int) -> Void
  ) throws {
    late = try Mailbox(on: loop, onMessage: onUpstreamAnswer)
    directHandler = DemoHandler(search, ignoresCancellation: options.ignoresCancellation)
    gatewayHandler = DemoHandler(search, ignoresCancellation: options.ignoresCancellation) {
      [sender = late.sender] in sender.send($0)
    }
    do {
      try listen(options, on: loop)
    } catch {
      close()
      throw error
    }
  }

  private func listen(_ options: DemoOptions, on loop: EventLoop) throws {
    direct = try HandlerServer(directHandler, on: loop, address: Self.anyPort)
    let upstream = try HandlerServer(gatewayHandler, on: loop, address: Self.anyPort)
    self.upstream = upstream
    // Log lines on standard error would spoil the picture.
    let log = Logger(label: "lastword") { _ in SwiftLogNoOpLogHandler() }
    let serving = ServerOptions(
      listen: [options.listen], upstreams: [.init(.address(upstream.address))], seed: options.seed)
    let gateway = try GatewayServer(serving, on: loop, log: log)
    try openPages(options, of: gateway, on: loop, log)
    self.gateway = gateway
  }

  private func openPages(
    _ options: DemoOptions, of gateway: GatewayServer, on loop: EventLoop, _ log: Logger
  ) throws(StartError) {
    guard let settings = options.pages, let address = settings.admin.values.address else { return }
    do throws(UVError) {
      pages = try AdminPages(at: address, settings, of: GatewayLoops(gateway), on: loop, log: log)
    } catch {
      gateway.abandon()
      throw StartError(address: address, cause: error)
    }
  }

  /// The address of the live page; nil: there is none.
  var pagesAddress: SocketAddress? { pages?.address }

  func address(_ side: DemoScene.Side) -> SocketAddress {
    (side == .direct ? direct?.address : gateway?.addresses.first) ?? Self.anyPort
  }

  func busyMilliseconds(_ side: DemoScene.Side) -> Int {
    (side == .direct ? directHandler : gatewayHandler).counters.snapshot.busyMilliseconds
  }

  var isReady: Bool { gateway?.areUpstreamsConnected == true }
  /// Whether no search runs any more, wanted or not.
  var isQuiet: Bool { [direct, upstream].allSatisfy { $0?.isQuiet ?? true } }

  /// Closes the servers. To be called when no search box is connected any more.
  func close() {
    pages?.close()
    gateway?.drain {}
    direct?.close()
    upstream?.close()
    late.close()
  }
}

@available(*, unavailable)
extension DemoServers: Sendable {}
