/// What concerns the process as a whole.
package struct ProcessSettings: SettingValues {
  package var drainMilliseconds = 5_000

  package init() {}

  package static let blockName = ""
  package static let blockMeaning: [String] = []
  package static let settings: [Setting<Self>] = [
    .integer(
      "drainMs", \.drainMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      "How long what still runs is given when the gateway is told to stop.")
  ]
}

/// What is logged.
package struct LogSettings: SettingValues {
  package var level = LogLevel.info

  package init() {}

  package static let blockName = "log"
  package static let blockMeaning = ["What is written to standard error."]
  package static let settings: [Setting<Self>] = [
    .choice("level", \.level, "Events from this level on are logged.")
  ]
}

/// The largest values that any setting of a kind may have.
enum SettingLimit {
  static let milliseconds = 3_600_000
  static let bytes = 1024 * 1024 * 1024
  static let count = 1_000_000
}
