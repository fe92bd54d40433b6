/// Who shares keys.
package enum KeyScope: String, SettingChoice {
  case shared, connection
}
