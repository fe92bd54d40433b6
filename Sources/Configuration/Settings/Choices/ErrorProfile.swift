/// The error code for a superseded request.
package enum ErrorProfile: String, SettingChoice {
  case standard
  /// A code that editors ignore silently.
  case lsp
}
