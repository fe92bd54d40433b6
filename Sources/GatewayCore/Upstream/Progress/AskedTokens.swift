/// The tokens that a request asks for progress by, as hashes.
struct AskedTokens {
  static let most = 3
  var workDone: UInt64?
  var partialResult: UInt64?
  /// As the Model Context Protocol has it.
  var meta: UInt64?

  var isEmpty: Bool { workDone == nil && partialResult == nil && meta == nil }
}
