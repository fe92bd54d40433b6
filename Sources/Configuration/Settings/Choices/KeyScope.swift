/// Which clients share keys.
package enum KeyScope: String, SettingChoice {
  case shared, connection
}
