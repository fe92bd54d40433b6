/// Invariant 8: when nothing is under way, every table of the gateway is empty.
extension Oracle {
  /// - Parameter leftovers: what the core still holds when all clients have gone and all work has ended.
  func expectEmpty(_ leftovers: [String]) {
    expect(leftovers.isEmpty, "invariant 8: left in the end: \(leftovers)")
  }
}
