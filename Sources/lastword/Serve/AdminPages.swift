import Addresses
import Admin
import ArgumentParser
import Configuration
import Gateway
import Identity
import LibUV
import Logging

/// The admin pages of a running gateway, and what a reload changes of them.
final class AdminPages {
  private let server: AdminServer
  private let gateway: GatewayLoops
  private let view: GatewayView
  /// The settings in force.
  private var settings: FileConfiguration

  /// Opens the pages at the settings' address.
  init(
    at address: SocketAddress, _ settings: FileConfiguration, of gateway: GatewayLoops, on loop: EventLoop,
    log: Logger
  ) throws(UVError) {
    self.settings = settings
    self.gateway = gateway
    view = try GatewayView(of: gateway, build: Build.name, on: loop)
    do throws(UVError) {
      server = try AdminServer(
        Self.options(address, settings.admin.values), on: loop,
        onAcceptFailure: Self.acceptFailures(on: loop, to: log))
    } catch {
      view.close()
      throw error
    }
    view.addPages(to: server)
    server.addLivePage(.embedded())
    server.addHealth { [unowned self] in reasons }
    server.addConfiguration { [unowned self] in SettingList.text(of: self.settings, showsOrigins: true) }
  }

  /// The address of the pages, for logs.
  var name: String { server.name }
  var address: SocketAddress { server.address }

  func reconfigure(_ settings: FileConfiguration) {
    self.settings = settings
    server.reconfigure(Self.options(server.address, settings.admin.values))
  }

  func close() {
    server.close()
    view.close()
  }

  /// Logs failures to accept, but not each of them.
  private static func acceptFailures(on loop: EventLoop, to log: Logger) -> (UVError) -> Void {
    var warning = RepeatedWarning()
    return { [unowned loop] error in
      warning.log(
        "cannot accept at the admin pages: \(error)", to: log, atMilliseconds: loop.nowMilliseconds)
    }
  }

  private static func options(_ address: SocketAddress, _ settings: AdminSettings) -> AdminOptions {
    var options = AdminOptions(address)
    options.hosts = settings.hosts.map(\.description)
    options.tokenDigest = settings.token?.bytes
    options.connections = settings.connections
    options.streams = settings.streams
    options.streamBytes = settings.streamBytes
    return options
  }

  /// Why no requests should be sent to the gateway; empty: they should.
  private var reasons: [String] {
    let draining = gateway.isDraining ? ["draining"] : []
    return draining + [gateway.fleetStatus?.reason].compactMap { $0 }
      + gateway.unconnectedUpstreamNames.map { "upstream \($0) is not connected" }
  }
}

@available(*, unavailable)
extension AdminPages: Sendable {}
