/// A block of the example that shows settings which not every block of its name can have.
package struct BlockVariant<Values: SettingValues>: Sendable {
  /// For those who read the example.
  let meaning: String
  /// What it says besides, as far as it is needed.
  let given: [(name: String, value: SettingValue)]
  let settings: [Setting<Values>]
}
