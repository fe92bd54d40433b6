/// How much an event matters.
package enum LogLevel: String, SettingChoice {
  case trace, debug, info, notice, warning, error, critical
}
