/// Where a configuration may come from.
package struct ConfigurationSources: Sendable {
  /// The name as it is shown, and what is in it.
  package var file: (name: String, bytes: [UInt8])?
  package var environment: [String: String]
  package var flags: [Override]

  package init(
    file: (name: String, bytes: [UInt8])? = nil, environment: [String: String] = [:], flags: [Override] = []
  ) {
    self.file = file
    self.environment = environment
    self.flags = flags
  }
}
