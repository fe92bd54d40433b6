import JSONRPC

/// What most errors of a run were.
extension LoadMeasurement {
  /// For a user without the text report; nil: there were none.
  package var errorSummary: String? {
    // Of two that are as frequent, the one that was known first.
    guard let (code, _) = errors.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return nil }
    let name = ErrorName.text(code).map { " (\($0))" } ?? ""
    return
      "\(Quantity.count(errorCount)) of \(Quantity.count(replies)) replies were errors, most often \(code)\(name)"
  }

  /// Every reply says that its client has not authenticated.
  package var wasRefusedWhole: Bool {
    replies > 0 && errors[RPCError.unauthenticated.code] == replies
  }
}
