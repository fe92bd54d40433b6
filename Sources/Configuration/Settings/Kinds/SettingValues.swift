/// The settings of one kind of block, and what they are called.
package protocol SettingValues: Sendable {
  /// With the defaults.
  init()
  /// The block's name in the file; empty for what stands above all blocks.
  static var blockName: String { get }
  /// For those who read the example.
  static var blockMeaning: [String] { get }
  /// Whether a file may have several of them: `[[listen]]`.
  static var mayRepeat: Bool { get }
  static var settings: [Setting<Self>] { get }
  static var variants: [BlockVariant<Self>] { get }
}

extension SettingValues {
  package static var variants: [BlockVariant<Self>] { [] }
  package static var mayRepeat: Bool { false }

  /// As a file begins it.
  static var shownBlock: String { mayRepeat ? "[[\(blockName)]]" : "[\(blockName)]" }

  static func setting(_ name: String) -> Setting<Self>? { settings.first { $0.name == name } }
}
