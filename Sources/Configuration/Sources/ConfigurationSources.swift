/// The sources of a configuration.
package struct ConfigurationSources: Sendable {
  /// The file's name for messages, and its content.
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
