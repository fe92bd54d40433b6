import Configuration
import GatewayCore

/// What must hold of a whole configuration file, as it may stand there when the gateway is told to read it again.
struct ConfigurationCheck {
  private let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  func run() throws(Violation) {
    let settings: FileConfiguration
    do throws(ConfigurationError) {
      settings = try Self.settings(input)
    } catch {
      return try check(error)
    }
    try require(settings.lastingChanges(since: settings).isEmpty, "it differs from itself")
    try check(settings.lastingChanges(since: FileConfiguration()))
    // Whatever it says, the gateway gets something to work with.
    try require(!settings.core.listeners.isEmpty && !settings.core.upstreams.isEmpty, "it leaves nothing")
    try checkShown(settings)
  }

  private static func settings(_ bytes: [UInt8]) throws(ConfigurationError) -> FileConfiguration {
    try FileConfiguration(ConfigurationSources(file: ("lw.toml", bytes)))
  }

  private func check(_ error: ConfigurationError) throws(Violation) {
    try require(!error.complaints.isEmpty, "it is refused for nothing")
    try check(error.complaints)
  }

  private func check(_ complaints: [Complaint]) throws(Violation) {
    for line in complaints.map(\.description) {
      try require(line.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "a complaint is not one line")
      try require(
        line.hasPrefix("lw.toml:") || line.hasPrefix("default: "), "a complaint has no place: \(line)")
    }
  }

  /// What is shown is the same when it is read and shown again, unless something secret is left out of it.
  private func checkShown(_ settings: FileConfiguration) throws(Violation) {
    let shown = SettingList.text(of: settings, showsOrigins: true)
    guard let again = try? Self.settings(Array(shown.utf8)) else { return }
    try require(
      SettingList.text(of: again, showsOrigins: false) == SettingList.text(of: settings, showsOrigins: false),
      "what is shown says something else")
  }
}
