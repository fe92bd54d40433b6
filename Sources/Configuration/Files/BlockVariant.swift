/// A further block of the example, with settings that not every block of its name can have.
package struct BlockVariant<Values: SettingValues>: Sendable {
  /// The comment above it in the example.
  let meaning: String
  /// Other settings that the block needs.
  let given: [(name: String, value: SettingValue)]
  let settings: [Setting<Values>]
}
