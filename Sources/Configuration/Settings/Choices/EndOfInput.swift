/// The meaning of a client's end of input.
package enum EndOfInput: String, SettingChoice {
  /// It waits for its answers.
  case reply
  /// It has gone.
  case cancel
}
