/// The largest values that any setting of a kind may have.
enum SettingLimit {
  static let milliseconds = 3_600_000
  static let bytes = 1024 * 1024 * 1024
  static let count = 2_000_000
  /// The largest bound for an id, a key, a group or a method.
  static let nameBytes = 4096
}
