/// How a superseded caller hears of it.
package enum ErrorProfile: String, SettingChoice {
  case standard
  /// With the code that editors take silently.
  case lsp
}
