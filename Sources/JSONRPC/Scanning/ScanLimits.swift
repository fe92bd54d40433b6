/// The bounds of a message that the scanner checks.
package struct ScanLimits: Hashable, Sendable {
  /// How deep containers may be nested, the message itself included; at most `JSONText.depthLimit`.
  package var nestingLevels: Int
  /// Of an id as it stands in the message, a string's quotes included.
  package var idBytes: Int
  /// Of a method's name as it stands in the message, without its quotes.
  package var methodBytes: Int

  /// No narrower than any that can be set.
  package static let widest = ScanLimits(
    nestingLevels: JSONText.depthLimit, idBytes: .max, methodBytes: .max)

  @inline(always)
  package init(
    nestingLevels: Int = WireLimits.nestingLevels, idBytes: Int = WireLimits.idBytes,
    methodBytes: Int = WireLimits.methodBytes
  ) {
    precondition(
      (1...JSONText.depthLimit).contains(nestingLevels), "what is read later is read to that depth")
    self.nestingLevels = nestingLevels
    self.idBytes = idBytes
    self.methodBytes = methodBytes
  }
}
