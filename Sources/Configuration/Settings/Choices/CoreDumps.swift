/// Whether core dumps and debuggers may show the process's memory.
package enum CoreDumps: String, SettingChoice {
  /// They may, unless the configuration holds secrets.
  case auto
  case allowed, never
}
