import Addresses
import Gateway
import LibUV

/// A gateway on its loop, until it is told to stop.
final class ServerRun {
  private let loop: EventLoop
  private var server: GatewayLoops?
  private var stops: Mailbox<Void>?

  init(_ plan: ServerPlan, until stopping: StopRequest) throws(GatewayError) {
    do throws(UVError) {
      loop = try EventLoop()
      let stops = try Mailbox<Void>(on: loop) { [unowned self] in self.stop() }
      self.stops = stops
      stopping.attach(stops.sender)
    } catch {
      throw .cannotStart(error)
    }
    do throws(StartError) {
      let server = try GatewayLoops(plan.loops, on: loop, log: plan.log) { plan.serverOptions }
      self.server = server
      try server.start()
    } catch {
      server?.abandon()
      stops?.close()
      throw .cannotServe(error)
    }
  }

  var addresses: [String] { server?.addresses.map(\.description) ?? [] }

  func run() { loop.run() }

  private func stop() {
    server?.drain { [unowned self] in stops?.close() }
  }
}

@available(*, unavailable)
extension ServerRun: Sendable {}
