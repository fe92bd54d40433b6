/// What of it must not be seen.
extension FileConfiguration {
  /// Whether the process is to keep others from looking into its memory.
  package var hidesMemory: Bool {
    switch process.coreDumps {
    case .auto: holdsSecrets
    case .allowed: false
    case .never: true
    }
  }

  /// Whether a setting holds a hidden value, names a key or a variable for a child, which is likely to be secret, or
  /// has clients send secrets.
  var holdsSecrets: Bool {
    admin.token != nil || process.hidesPart || log.hidesPart || admin.hidesPart || bounds.hidesPart
      || listeners.contains(where: \.hidesPart) || routes.contains(where: \.hidesPart)
      || listeners.contains { $0.values.hasTLS } || principals.contains { !$0.values.tokens.isEmpty }
      || fleet.values.name != nil || !issuers.isEmpty || issuers.contains(where: \.hidesPart)
      || upstreams.contains { $0.hidesPart || !$0.environment.isEmpty || $0.tlsKey != nil }
  }
}

extension Section {
  /// Whether more is set than is shown.
  fileprivate var hidesPart: Bool { Values.settings.contains { $0.read(values) != $0.shown(values) } }
}
