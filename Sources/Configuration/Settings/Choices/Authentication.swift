/// Whether clients are asked who they are.
package enum Authentication: String, SettingChoice {
  /// Whoever comes is served.
  case none
  /// Principals only.
  case required
}
