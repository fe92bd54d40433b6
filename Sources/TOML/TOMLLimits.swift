/// What a text may at most cost to read.
package struct TOMLLimits: Hashable, Sendable {
  package var textBytes = 1024 * 1024
  /// Tables and arrays in each other, and a value in them.
  package var nestingLevels = 64
  /// Keys, each part of a dotted one for itself, and items of arrays.
  package var keysAndItems = 65_536

  package init() {}
}
