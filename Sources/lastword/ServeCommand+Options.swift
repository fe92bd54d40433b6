import ArgumentParser
import Configuration
import Demo
import Gateway
import GatewayCore
import LibUV
import Logging

/// What the server is told of the configuration.
extension ServeCommand {
  func options(_ settings: FileConfiguration, _ log: Logger) throws -> ServerOptions {
    var options = ServerOptions(
      listen: settings.listeners.map(\.address),
      upstreams: try settings.upstreams.map { try upstream($0.values) },
      seed: seed ?? .random(in: 0 ... .max))
    options.core = core(settings, log)
    options.drainMilliseconds = UInt64(settings.process.drainMilliseconds)
    options.turnBytes = settings.bounds.turnBytes
    return options
  }

  func core(_ settings: FileConfiguration, _ log: Logger) -> GatewayConfiguration {
    var core = settings.core
    core.connections = min(core.connections, connectionLimit(log))
    return core
  }

  private func upstream(_ settings: UpstreamSettings) throws -> ServerOptions.Upstream {
    var upstream = ServerOptions.Upstream()
    upstream.endpoints = try settings.endpoints.map { try endpoint($0, settings) }
    return upstream
  }

  private func endpoint(
    _ address: UpstreamAddress, _ settings: UpstreamSettings
  ) throws -> ServerOptions.Endpoint {
    switch address {
    case .socket(let address): .address(address)
    case .demo: .handler(DemoHandler(directory: demoDirectory), name: "built-in demo")
    case .command, .http: throw ValidationError("\(address) is not served")
    }
  }

  /// Always well below the descriptor limit: accepting must never be what fails.
  private func connectionLimit(_ log: Logger) -> Int {
    let descriptors = DescriptorLimit.raise()
    return max(16, descriptors - descriptors / 8 - 64)
  }
}
