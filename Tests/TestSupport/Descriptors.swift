import Glibc

/// How many descriptors this process has, without needing one to find out.
package func openDescriptors() -> Int {
  (0..<1024).count { fcntl($0, F_GETFD) != -1 }
}

/// Waits until Dispatch, on which tests run, has those that it keeps: the one for its timers it opens on a thread of its
/// own, on a busy machine in the midst of a test that counts. Once a timer has fired it is there.
package func untilDispatchHasItsDescriptors() async throws {
  try await Task.sleep(for: .milliseconds(1))
}
