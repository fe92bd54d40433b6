/// The level of a log line.
package enum LogLevel: String, SettingChoice {
  case trace, debug, info, notice, warning, error, critical
}
