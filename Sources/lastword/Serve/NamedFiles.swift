import Configuration

/// The contents of the files that a configuration names: read together, at the start and at each reload.
struct NamedFiles {
  let tls: TLSMaterial
  let keys: IssuerKeys
  let fleet: FleetSecrets

  /// - Throws: the mistakes in them, certificates first, and in the directories that the configuration names.
  init(_ settings: FileConfiguration) throws(ConfigLoading.Failure) {
    tls = try TLSMaterial(settings)
    keys = try IssuerKeys(settings)
    fleet = try FleetSecrets(settings)
    try NamedDirectories.check(settings)
  }
}

@available(*, unavailable)
extension NamedFiles: Sendable {}
