/// Which machines may reach an address.
package enum Audience: String, SettingChoice {
  /// Programs on this machine.
  case loopback
  /// All machines that can reach it.
  case network
}
