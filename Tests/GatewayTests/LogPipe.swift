import Foundation
import Logging

@testable import Gateway

/// A pipe that a sink writes to, read only when the test says so.
final class LogPipe {
  private let reading: Int32
  private let writing: Int32
  let sink: LogSink
  let log: Logger

  init(level: Logger.Level = .info, form: LogSink.Form = .text) {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    let sink = LogSink(descriptor: writing, level: level, form: form)
    self.sink = sink
    log = Logger(label: "test") { _ in SinkLogHandler(sink) }
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// All that has been written, and not read yet.
  func bytes() -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(reading, &chunk, chunk.count)
      guard count > 0 else { return all }
      all += chunk[..<count]
    }
  }

  /// The same as lines, each of which must have its end.
  func lines() -> [String] {
    var lines = String(decoding: bytes(), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    precondition(lines.popLast()?.isEmpty == true, "a line without its end")
    return lines.map(String.init)
  }

  /// The text of the lines, without process, time and level.
  func texts() -> [String] {
    lines().compactMap { $0.firstMatch(of: /^\[\d+\] \S+ \S+ \[(\w+)\] (.*)$/).map { "\($0.1) \($0.2)" } }
  }

  /// The objects, without process and time.
  func objects() throws -> [[String: AnyHashable]] {
    try lines().map {
      let value = try JSONSerialization.jsonObject(with: Data($0.utf8))
      var object = value as? [String: AnyHashable] ?? [:]
      (object["time"], object["pid"]) = (nil, nil)
      return object
    }
  }
}
