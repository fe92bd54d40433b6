/// Durations in whole milliseconds, from zero to an hour.
extension Duration {
  private static let longest = Duration.seconds(3600)

  func check(_ name: String) {
    precondition((Duration.zero...Self.longest).contains(self), "\(name): a duration is at most an hour")
  }

  /// Whole milliseconds, rounded up, so that nothing ends early.
  var milliseconds: UInt32 {
    let (seconds, attoseconds) = components
    return UInt32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
