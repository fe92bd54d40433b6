/// Whether what the process remembers may be seen from outside.
package enum CoreDumps: String, SettingChoice {
  /// Not where the configuration holds secrets.
  case auto
  case allowed, never
}
