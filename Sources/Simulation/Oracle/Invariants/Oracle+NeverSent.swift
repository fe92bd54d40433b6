/// Invariant 4: a task that was superseded, cancelled or expired while it was queued never reaches upstream.
extension Oracle {
  /// Callers that heard "not sent" were right.
  func checkNotSent(_ task: Int) {
    let view = tasks[task]
    let isWrong = view.sighted > 0 && view.callerCount > 0 && view.notSentReplies == view.callerCount
    expect(
      !isWrong || view.hasFailedUnsent,
      "invariant 4: call \(view.id) was sent though its callers heard that it was not")
  }
}
