/// One setting: its name, its meaning, its allowed values, and the field that holds its value.
///
/// Files, the environment, the example, `config show` and every check read the same list of these, and the default is
/// the value in a new `Values`, so all of them agree.
package struct Setting<Values: SettingValues>: Sendable {
  package let name: String
  /// The meaning, as a sentence.
  package let meaning: String
  package var form: SettingForm
  /// The example's value for a setting without a default; nil if it has one.
  package var sample: SettingValue?
  /// Whether a block of the file must have it.
  package private(set) var isRequired = false
  /// Whether it changes with a restart only.
  package private(set) var isLasting = false
  let read: @Sendable (Values) -> SettingValue?
  let write: @Sendable (SettingValue, inout Values) throws(Mistake) -> Void
  /// The value without its secrets; nil: all of `read` may be shown.
  var readShown: (@Sendable (Values) -> SettingValue?)?

  package var standard: SettingValue? { read(Values()) }

  func shown(_ values: Values) -> SettingValue? { (readShown ?? read)(values) }

  func required() -> Self {
    var setting = self
    setting.isRequired = true
    return setting
  }

  func lasting() -> Self {
    var setting = self
    setting.isLasting = true
    return setting
  }
}
