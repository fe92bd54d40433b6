/// Durations as the contract counts them.
extension Duration {
  private static let longest = Duration.seconds(3600)

  func check(_ name: String) {
    precondition((Duration.zero...Self.longest).contains(self), "\(name): a duration is at most an hour")
  }

  /// Rounded up, so that nothing ends early.
  var milliseconds: UInt32 {
    let (seconds, attoseconds) = components
    return UInt32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
