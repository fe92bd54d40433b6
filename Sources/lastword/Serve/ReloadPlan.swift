import Configuration
import Gateway
import GatewayCore

/// Everything that a reload changes, made of the configuration in one place.
struct ReloadPlan {
  /// The admin pages show it, and keep to its part about them.
  let settings: FileConfiguration
  /// Bounds, times, routes and listener options, as this machine allows them: what the server keeps to. It is started with them, too.
  let core: GatewayConfiguration
  /// The certificates and keys; nil: there are none.
  let tls: TLSMaterial?

  /// Where what clients are answerable for is noted from now on: each loop has one; nil: nowhere.
  let audit: [AuditLog?]

  /// Whether nobody may look into this process' memory: it may hold secrets since.
  var hidesMemory: Bool { settings.hidesMemory }
  /// What is logged, and how.
  var log: LogSettings { settings.log.values }
}
