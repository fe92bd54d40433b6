/// Invariant 4: a task that was superseded, cancelled or expired while it was queued never reaches upstream.
extension Oracle {
  /// A caller that heard "not sent" was right: nor is the task sent later, for others.
  func checkNotSent(_ task: Int) {
    let view = tasks[task]
    expect(
      view.sighted == 0 || view.notSentReplies == 0 || view.hasFailedUnsent,
      "invariant 4: call \(view.id) was sent though a caller heard that it was not")
  }
}
