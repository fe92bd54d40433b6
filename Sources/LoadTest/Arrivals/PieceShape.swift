/// The pieces that upstream gives before each answer.
package struct PieceShape: Hashable, Sendable {
  package static let countRange = 0...1_000_000
  package static let millisecondsRange = 0...3_600_000
  package static let paddingRange = 0...65_536

  /// How many pieces; 0: none, and requests ask for none.
  package var count = 0
  /// The time from one piece to the next.
  package var milliseconds = 0
  /// Bytes of padding in each.
  package var paddingBytes = 0

  package init() {}
}
