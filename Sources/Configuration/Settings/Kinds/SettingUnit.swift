/// The unit of a number; the setting's name ends with it.
package enum SettingUnit: Hashable, Sendable {
  case bytes, milliseconds, microseconds, none

  /// The unit behind a number in a sentence.
  var suffix: String { self == .none ? "" : " \(self)" }
  /// The unit before numbers in a list.
  var prefix: String { self == .none ? "" : "\(self), " }
}
