import Foundation

/// Runs a test's blocking code on a thread of its own: handlers need those that tests run on.
private final class OwnThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

func onOwnThread<Value>(_ body: () throws -> Value) async throws -> Value {
  try await withTaskExecutorPreference(OwnThread()) { try body() }
}
