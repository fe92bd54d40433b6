/// What a number counts; the setting's name ends with it.
package enum SettingUnit: Hashable, Sendable {
  case bytes, milliseconds, microseconds, none

  /// After numbers in a sentence.
  var suffix: String { self == .none ? "" : " \(self)" }
  /// Before them in a list.
  var prefix: String { self == .none ? "" : "\(self), " }
}
