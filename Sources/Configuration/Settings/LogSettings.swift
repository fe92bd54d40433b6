/// The settings of the log.
package struct LogSettings: SettingValues {
  package var level = LogLevel.info
  package var format = LogFormat.auto

  package var audit: FilePath?

  package init() {}

  package static let blockName = "log"
  package static let blockMeaning = ["What is written to standard error."]
  package static let settings: [Setting<Self>] = [
    .choice("level", \.level, "Events from this level on are logged."),
    .choice("format", \.format, "A line is text for people or a JSON object; auto: text on a terminal."),
    .text(
      "audit", \.audit, sample: "/var/log/lastword/audit.log",
      "Who logs in, or fails to, is refused, cancels by key or is ended goes there, a JSON object a line."),
  ]
}
