/// What it means that a client sends nothing more.
package enum EndOfInput: String, SettingChoice {
  /// It waits for its answers.
  case reply
  /// It has gone.
  case cancel
}
