/// One setting: its name, what it means, what it may be, and where its value is kept.
///
/// Files, the environment, the example, `config show` and every check read the same list of these, and the
/// default is whatever a new `Values` holds: nothing can disagree.
package struct Setting<Values: SettingValues>: Sendable {
  package let name: String
  /// A sentence.
  package let meaning: String
  package let form: SettingForm
  /// What the example shows of a setting that has no default; nil if it has one.
  package let sample: SettingValue?
  /// Whether a block of the file must have it.
  package let isRequired: Bool
  let read: @Sendable (Values) -> SettingValue?
  let write: @Sendable (SettingValue, inout Values) throws(Mistake) -> Void

  package var standard: SettingValue? { read(Values()) }

  func required() -> Self {
    Self(
      name: name, meaning: meaning, form: form, sample: sample, isRequired: true, read: read, write: write)
  }
}
