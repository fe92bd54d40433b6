import Configuration
import Gateway
import GatewayCore

/// Everything that a reload changes, made from the configuration in one place.
struct ReloadPlan {
  /// The configuration, which the admin pages show; it has their own settings, too.
  let settings: FileConfiguration
  /// Bounds, times, routes and listener options, as far as this machine allows them. The server is started with them,
  /// too.
  let core: GatewayConfiguration
  /// The certificates and keys; nil: there is no TLS.
  let tls: TLSMaterial?

  /// The audit logs from now on, one for each loop; nil: there is none.
  let audit: [AuditLog?]

  /// Whether this process's memory is to be hidden from now on, as it may hold secrets.
  var hidesMemory: Bool { settings.hidesMemory }
  /// The settings of the log.
  var log: LogSettings { settings.log.values }
}
