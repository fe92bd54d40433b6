import Foundation

/// A program that a test started, and ends by its own process id.
package final class RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private var unread: [FileHandle: [UInt8]] = [:]

  /// - Parameter takesInput: it reads what `send` is given; else it reads nothing.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], takesInput: Bool = false
  ) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = takesInput ? input : FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit { kill() }

  package var identifier: Int32 { process.processIdentifier }

  package func send(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Array(text.utf8))
  }

  package func endInput() throws { try input.fileHandleForWriting.close() }

  /// The next line of standard output or standard error; nil at its end.
  package func outputLine() -> String? { line(of: output.fileHandleForReading) }
  package func errorLine() -> String? { line(of: errors.fileHandleForReading) }

  package func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  package func kill() {
    if process.isRunning { signal(SIGKILL) }
  }

  /// Waits for the end, at most as long as the watchdog says; nil if it had to be killed.
  package func exitStatus() -> Int32? {
    for _ in 0..<(LineSocket.watchdogSeconds * 100) where process.isRunning { usleep(10_000) }
    guard !process.isRunning else {
      kill()
      return nil
    }
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Waits for more, at most as long as the watchdog says; then the program is killed.
  private func hasInput(_ handle: FileHandle) -> Bool {
    var request = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
    if poll(&request, 1, Int32(LineSocket.watchdogSeconds * 1000)) > 0 { return true }
    kill()
    return false
  }

  private func line(of handle: FileHandle) -> String? {
    while true {
      if let end = unread[handle, default: []].firstIndex(of: 0x0a) {
        let line = String(decoding: unread[handle]![..<end], as: UTF8.self)
        unread[handle]!.removeSubrange(...end)
        return line
      }
      guard hasInput(handle) else { return nil }
      let data = handle.availableData
      guard !data.isEmpty else { return nil }
      unread[handle, default: []] += data
    }
  }
}
