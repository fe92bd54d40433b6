import Client
import LibUV

/// How a run comes to its end.
extension LoadRun {
  /// Stops sending, and waits for answers for a bounded time.
  func stopSending() {
    guard phase == .running else { return }
    countUnsent()
    phase = .settling
    endNanoseconds = PreciseTimer.nowNanoseconds + options.timeoutMilliseconds * 1_000_000
    timer?.start(atNanoseconds: 1)
  }

  /// Ends at once.
  package func fail(_ reason: String) {
    guard phase != .done else { return }
    recorder.failed(reason)
    finish()
  }

  func report() {
    judgeTheUnanswered()
    phase = .reporting
    closeLanes()
    guard let watch else { return finish() }
    watch.report(withinMilliseconds: options.timeoutMilliseconds) { [unowned self] work in
      recorder.add(work)
      finish()
    }
  }

  private func judgeTheUnanswered() {
    guard oracle.open.count > 0 else { return }
    for (lane, count) in oracle.open.counts(connections: lanes.count).enumerated() where count > 0 {
      violated(.neverAnswered(count: count), lane: lane, key: nil)
    }
  }

  private func finish() {
    phase = .done
    recorder.finish(
      at: PreciseTimer.nowNanoseconds, open: oracle.open.count, settings: options.settings,
      seed: options.workload.seed)
    closeLanes()
    watch?.close()
    watch = nil
    timer?.close()
    timer = nil
    turnEnd.map(loop.removeTurnEnd)
    turnEnd = nil
    pool.close()
    onDone(recorder.measurement)
  }

  private func closeLanes() {
    for link in links {
      link.cancelAttempt?()
      link.cancelAttempt = nil
      link.connection?.close()
      link.forget()
    }
  }
}
