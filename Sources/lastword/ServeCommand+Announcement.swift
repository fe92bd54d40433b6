import ArgumentParser
import Configuration
import Gateway
import Logging

/// What it says of itself when it has started.
extension ServeCommand {
  func announce(
    _ server: GatewayServer, _ pages: AdminPages?, _ settings: FileConfiguration, _ log: Logger
  ) {
    log.info("lastword \(Lastword.configuration.version)")
    for address in server.addresses { log.info("Listening for JSON-RPC on \(address)") }
    if let pages { log.info("Admin pages on \(pages.name)") }
    for upstream in settings.upstreams { announce(upstream.values, log) }
    log.info("Ready")
  }

  private func announce(_ upstream: UpstreamSettings, _ log: Logger) {
    guard upstream.kind != .demo else {
      return log.info("No --upstream: serving the built-in demo handler (echo, sleep, search)")
    }
    for address in upstream.endpoints {
      log.info("Upstream \(address), cancelled by \(upstream.dialect.name)")
    }
  }
}
