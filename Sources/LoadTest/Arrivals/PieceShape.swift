/// What upstream gives of each answer before the answer.
package struct PieceShape: Hashable, Sendable {
  package static let countRange = 0...1_000_000
  package static let millisecondsRange = 0...3_600_000
  package static let paddingRange = 0...65_536

  /// 0: none, and nobody asks for any.
  package var count = 0
  /// From each to the next.
  package var milliseconds = 0
  /// Bytes of padding in each.
  package var paddingBytes = 0

  package init() {}
}
