import ArgumentParser
import Configuration
import Demo
import Gateway
import GatewayCore
import LibUV
import Upstreams

/// Turns a configuration into what the server is started with.
struct ServerSetup {
  let settings: FileConfiguration
  /// Nil: as the system gives it.
  var seed: UInt64?
  /// What the built-in demo handler searches.
  var demoDirectory = Corpus.defaultDirectory

  func options() throws -> ServerOptions {
    var options = ServerOptions(
      listen: settings.listeners.map(\.address),
      upstreams: try settings.upstreams.map { try upstream($0.values) },
      seed: seed ?? .random(in: 0 ... .max))
    options.core = core
    options.drainMilliseconds = UInt64(settings.process.drainMilliseconds)
    options.turnBytes = settings.bounds.turnBytes
    return options
  }

  var core: GatewayConfiguration {
    var core = settings.core
    core.connections = min(core.connections, connectionLimit)
    return core
  }

  private func upstream(_ settings: UpstreamSettings) throws -> ServerOptions.Upstream {
    var upstream = ServerOptions.Upstream()
    upstream.endpoints = try settings.endpoints.map { try endpoint($0, settings) }
    upstream.isHard = settings.isHard
    return upstream
  }

  private func endpoint(
    _ address: UpstreamAddress, _ settings: UpstreamSettings
  ) throws -> ServerOptions.Endpoint {
    switch address {
    case .socket(let address): .address(address)
    case .demo: .handler(DemoHandler(directory: demoDirectory), name: "built-in demo")
    case .command(let words): .command(command(words, settings))
    case .http: throw ValidationError("\(address) is not served")
    }
  }

  private func command(_ words: [String], _ settings: UpstreamSettings) -> ChildCommand {
    var command = ChildCommand(
      words, directory: settings.directory?.description,
      environment: settings.environment.map(\.assignment))
    command.graceMilliseconds = UInt64(
      settings.graceMilliseconds ?? UpstreamSettings.usualGraceMilliseconds)
    // What it works on is not wanted any more when it is sent off.
    command.isStoppedAtOnce = settings.isHard
    return command
  }

  /// Always well below the descriptor limit: accepting must never be what fails.
  private var connectionLimit: Int {
    let descriptors = DescriptorLimit.raise()
    return max(16, descriptors - descriptors / 8 - 64)
  }
}
