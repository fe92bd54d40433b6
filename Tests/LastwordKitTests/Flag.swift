import Dispatch
import TestSupport

/// Something that happens once, and that a test's thread waits for.
final class Flag: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func raise() { semaphore.signal() }

  func wait() throws {
    let limit = DispatchTime.now() + .seconds(LineSocket.watchdogSeconds)
    guard semaphore.wait(timeout: limit) == .success else {
      throw Unexpected(description: "it did not happen")
    }
  }
}

/// Something that handlers wait for, whether they are cancelled or not.
final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func open() { continuation.finish() }

  func passed() async {
    // A task of its own does not hear that this one is cancelled.
    await Task { for await _ in stream {} }.value
  }
}

/// Waits until the handler's task is cancelled.
func untilCancelled(_ started: Flag, _ cancelled: Flag) async throws {
  started.raise()
  do {
    try await Task.sleep(for: .seconds(600))
  } catch {
    cancelled.raise()
    throw error
  }
}
