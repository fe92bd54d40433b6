/// The meaning of a client's end of input.
package enum EndOfInput: String, SettingChoice {
  /// The client still waits for its answers.
  case reply
  /// The client is gone: its requests are cancelled.
  case cancel
}
