import LibUV

/// How long answers wait for others that other loops still give the same client: one write for all of them costs hardly
/// more than a write for a single one.
final class WriteCoalescing {
  /// Of all that waits, since the first of it; 0: nothing waits.
  var microseconds: UInt64
  private var timer: PreciseTimer?
  private var hasBegun = false
  private var isOver = false

  init(on loop: EventLoop, microseconds: UInt64) throws(UVError) {
    self.microseconds = microseconds
    timer = try PreciseTimer(on: loop) { [unowned self] in isOver = true }
    timer?.letLoopEnd()
  }

  /// Something waits from now on, if nothing did.
  func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    timer?.start(atNanoseconds: PreciseTimer.nowNanoseconds + microseconds * 1_000)
  }

  /// Whether what waits has waited long enough; that is said once.
  func takeIsOver() -> Bool {
    guard isOver else { return microseconds == 0 }
    (hasBegun, isOver) = (false, false)
    return true
  }

  func close() {
    timer?.close()
    timer = nil
  }
}

@available(*, unavailable)
extension WriteCoalescing: Sendable {}
