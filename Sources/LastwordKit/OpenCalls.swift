import Synchronization

/// Counts the handlers that have not returned, and waits until all have.
final class OpenCalls: Sendable {
  private struct State {
    var count = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func began() { state.withLock { $0.count += 1 } }

  func ended() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.count -= 1
      return state.count == 0 ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  /// Waits until all handlers have returned. Called once, when no more can begin.
  nonisolated(nonsending) func allEnded() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if state.count > 0 { state.waiter = continuation }
        return state.count == 0
      }
      if hasEnded { continuation.resume() }
    }
  }
}
