/// How an event is written.
package enum LogFormat: String, SettingChoice {
  case auto, text, json
}
