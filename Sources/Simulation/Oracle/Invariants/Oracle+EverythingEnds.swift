/// Invariant 11: once faults stop, every live task ends within a bounded simulated time.
extension Oracle {
  /// - Parameter left: what is not over when that time is.
  static func notOver(_ left: String) -> String { "invariant 11: not over in the end: \(left)" }

  static let endless = "invariant 11: there is no end to what is left to do"
}
