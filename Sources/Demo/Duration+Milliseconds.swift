extension Duration {
  /// Whole milliseconds; a demo does not last long enough to overflow.
  package var milliseconds: Int {
    Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
