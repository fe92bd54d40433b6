/// The secrets in the settings.
extension FileConfiguration {
  /// Whether the process hides its memory from other processes.
  package var hidesMemory: Bool {
    switch process.coreDumps {
    case .auto: holdsSecrets
    case .allowed: false
    case .never: true
    }
  }

  /// Whether a setting has a hidden value, names a key file or a variable for a child, which is likely to be secret, or
  /// makes clients send secrets.
  var holdsSecrets: Bool {
    admin.token != nil || process.hidesPart || log.hidesPart || admin.hidesPart || bounds.hidesPart
      || listeners.contains(where: \.hidesPart) || routes.contains(where: \.hidesPart)
      || listeners.contains { $0.values.hasTLS } || principals.contains { !$0.values.tokens.isEmpty }
      || fleet.values.name != nil || !issuers.isEmpty || issuers.contains(where: \.hidesPart)
      || upstreams.contains { $0.hidesPart || !$0.environment.isEmpty || $0.tlsKey != nil }
  }
}

extension Section {
  /// Whether a value of this section is hidden, or partly hidden, when it is shown.
  fileprivate var hidesPart: Bool { Values.settings.contains { $0.read(values) != $0.shown(values) } }
}
