/// The settings of one kind of block.
package protocol SettingValues: Sendable {
  /// Makes a block with the defaults.
  init()
  /// The block's name in the file; empty for the settings above all blocks.
  static var blockName: String { get }
  /// The comment above the block in the example.
  static var blockMeaning: [String] { get }
  /// Whether a file may have several such blocks: `[[listen]]`.
  static var mayRepeat: Bool { get }
  static var settings: [Setting<Self>] { get }
  static var variants: [BlockVariant<Self>] { get }
}

extension SettingValues {
  package static var variants: [BlockVariant<Self>] { [] }
  package static var mayRepeat: Bool { false }

  /// The block's first line in a file.
  static var shownBlock: String { mayRepeat ? "[[\(blockName)]]" : "[\(blockName)]" }

  static func setting(_ name: String) -> Setting<Self>? { settings.first { $0.name == name } }
}
