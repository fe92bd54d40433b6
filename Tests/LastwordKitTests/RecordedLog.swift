import Foundation
import Logging
import Synchronization
import TestSupport

/// What a gateway logs, and the threads on which it does.
final class RecordedLog: Sendable {
  private struct State {
    var lines: [String] = []
    var threads: Set<String> = []
  }

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)

  var logger: Logger { Logger(label: "test") { _ in Recorder(log: self) } }
  var lines: [String] { state.withLock { $0.lines } }
  /// The paths under which the kernel shows the threads, while they live.
  var threads: Set<String> { state.withLock { $0.threads } }

  /// Waits until a line contains `text`.
  func wait(for text: String) throws {
    let limit = DispatchTime.now() + .seconds(LineSocket.watchdogSeconds)
    while !lines.contains(where: { $0.contains(text) }) {
      guard news.wait(timeout: limit) == .success else {
        throw Unexpected(description: "never logged: \(text)")
      }
    }
  }

  private func add(_ line: String) {
    let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    state.withLock {
      $0.lines.append(line)
      if let thread { $0.threads.insert("/proc/\(thread)") }
    }
    news.signal()
  }

  private struct Recorder: LogHandler {
    let log: RecordedLog
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }
      log.add("\(event.level): \(event.message)" + metadata.map { " \($0)=\($1)" }.joined())
    }
  }
}
