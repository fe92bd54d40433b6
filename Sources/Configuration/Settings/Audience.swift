/// Who may reach an address.
package enum Audience: String, SettingChoice {
  /// Programs on this machine.
  case loopback
  /// Everybody who gets there.
  case network
}
