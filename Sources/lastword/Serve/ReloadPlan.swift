import Configuration
import GatewayCore

/// Everything that a reload changes, made of the configuration in one place; the server is started with its `core`, too.
struct ReloadPlan {
  /// The admin pages show it, and keep to its part about them.
  let settings: FileConfiguration
  /// Bounds, times, routes and listener options, as this machine allows them: what the server keeps to.
  let core: GatewayConfiguration
  /// The certificates and keys; nil: there are none.
  let tls: TLSMaterial?

  /// What is logged, and how.
  var log: LogSettings { settings.log.values }
}
