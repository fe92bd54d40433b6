/// The format of a log line.
package enum LogFormat: String, SettingChoice {
  case auto, text, json
}
