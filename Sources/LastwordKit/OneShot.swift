import Synchronization

/// Hands one value from a thread to the one task that waits for it.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case awaited(CheckedContinuation<Value, Never>)
    case full(Value)
  }

  private let state = Mutex(State.empty)

  /// Gives the value. Called once.
  func fulfil(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      guard case .awaited(let waiter) = state else {
        state = .full(value)
        return nil
      }
      return waiter
    }
    waiter?.resume(returning: value)
  }

  /// Waits for the value. Called once.
  nonisolated(nonsending) func value() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state -> Value? in
        guard case .full(let value) = state else {
          state = .awaited(continuation)
          return nil
        }
        return value
      }
      if let value { continuation.resume(returning: value) }
    }
  }
}
