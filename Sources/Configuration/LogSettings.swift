/// What is logged.
package struct LogSettings: SettingValues {
  package var level = LogLevel.info

  package init() {}

  package static let blockName = "log"
  package static let blockMeaning = ["What is written to standard error."]
  package static let settings: [Setting<Self>] = [
    .choice("level", \.level, "Events from this level on are logged.").lasting()
  ]
}

/// How much an event matters.
package enum LogLevel: String, SettingChoice {
  case trace, debug, info, notice, warning, error, critical
}
