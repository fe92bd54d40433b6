import Addresses
import Demo
import Gateway
import GatewayCore
import Glibc
import LibUV
import Logging
import Upstreams

/// The demo in a page, on its loop, until a signal ends it: the page, and a gateway before a search server.
final class PageRun {
  private let page: DemoPage
  private var upstream: HandlerServer?
  private var gateway: GatewayServer?
  private var signals: [SignalSource] = []
  /// The signal that ended it.
  private(set) var signal: Int32?

  /// - Throws: a `StartError` if an address cannot be listened on, or a `UVError`.
  init(
    _ search: FileSearch, of directory: String, at address: SocketAddress, _ options: DemoOptions,
    on loop: EventLoop
  ) throws {
    let direct = DemoHandler(search, ignoresCancellation: options.ignoresCancellation)
    let behind = DemoHandler(search, ignoresCancellation: options.ignoresCancellation)
    do throws(UVError) {
      page = try DemoPage(at: address, directory, direct, on: loop)
    } catch {
      throw StartError(address: address, cause: error)
    }
    do {
      for signal in [SIGINT, SIGTERM] {
        signals.append(
          try SignalSource(on: loop, signal: signal) { [unowned self] in end(signal) })
      }
      try listen(behind, options, on: loop)
      page.open(before: gateway?.addresses.first ?? options.listen) {
        (direct.counters.snapshot.busyMilliseconds, behind.counters.snapshot.busyMilliseconds)
      }
    } catch {
      close()
      throw error
    }
  }

  private func listen(_ handler: DemoHandler, _ options: DemoOptions, on loop: EventLoop) throws {
    let upstream = try HandlerServer(handler, on: loop, address: .tcp(host: "127.0.0.1", port: 0))
    self.upstream = upstream
    var serving = ServerOptions(
      listen: [options.listen], upstreams: [.init(.address(upstream.address))], seed: options.seed)
    var clients = ClientProtocols()
    clients.origins = page.origins
    serving.core.server.clients = [clients]
    let log = Logger(label: "lastword") { _ in SwiftLogNoOpLogHandler() }
    gateway = try GatewayServer(serving, on: loop, log: log)
  }

  var address: SocketAddress { page.address }

  private func end(_ signal: Int32) {
    guard self.signal == nil else { return }
    self.signal = signal
    close()
  }

  private func close() {
    page.close()
    gateway?.drain {}
    upstream?.close()
    for signal in signals { signal.close() }
  }
}

@available(*, unavailable)
extension PageRun: Sendable {}
