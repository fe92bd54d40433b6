/// Whether clients have to authenticate.
package enum Authentication: String, SettingChoice {
  /// Every client is served.
  case none
  /// Only principals are served.
  case required
}
