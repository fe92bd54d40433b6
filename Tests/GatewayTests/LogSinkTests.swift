import Foundation
import Logging
import Testing

@testable import Gateway

/// What becomes of lines that nobody takes.
@Suite struct LogSinkTests {
  private func count(of text: String) -> Int? {
    text.firstMatch(of: /^WRN log lines were dropped: nobody took them count=(\d+)$/).flatMap { Int($0.1) }
  }

  @Test func `a full pipe makes nobody wait, and what it does not take is counted and told of`() throws {
    let pipe = LogPipe()
    let mostLines = 100_000
    var said = 0
    while pipe.sink.droppedLineCount < 10 && said < mostLines {
      pipe.log.info("line", metadata: ["number": .stringConvertible(said)])
      said += 1
    }
    let taken = pipe.texts()
    #expect(taken == (0..<said - 10).map { "INF line number=\($0)" })
    pipe.log.info("after")
    #expect(pipe.texts() == ["WRN log lines were dropped: nobody took them count=10", "INF after"])
    pipe.log.info("later")
    #expect(pipe.texts() == ["INF later"])
    #expect(pipe.sink.droppedLineCount == 10)
  }

  @Test func `every line has come or been counted, however often it fills`() throws {
    let pipe = LogPipe()
    let padding = String(repeating: "x", count: 1_000)
    var (heard, told) = (0, 0)
    func hear() {
      for text in pipe.texts() {
        if let count = count(of: text) { told += count } else { heard += 1 }
      }
    }
    for round in 1...20 {
      for _ in 0..<round * 10 { pipe.log.info("line", metadata: ["padding": "\(padding)"]) }
      hear()
    }
    pipe.log.info("last")
    hear()
    #expect(heard + told == 2_101)
    #expect(told > 0 && told == pipe.sink.droppedLineCount)
  }

  @Test func `without anybody to read, or without a descriptor, all is dropped`() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let deserted = LogSink(descriptor: ends[1])
    close(ends[0])
    Logger(label: "test") { _ in SinkLogHandler(deserted) }.info("m")
    #expect(deserted.droppedLineCount == 1)
    close(ends[1])
    let closed = LogSink(descriptor: -1)
    Logger(label: "test") { _ in SinkLogHandler(closed) }.info("m")
    #expect(closed.droppedLineCount == 1)
  }

  @Test func `what was written in part is not taken for the beginning of the next line`() throws {
    // A small socket that does not wait takes what fits of a long line.
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    defer { for end in ends { close(end) } }
    var sizeBytes: Int32 = 1
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &sizeBytes, socklen_t(MemoryLayout<Int32>.size))
    #expect(write(ends[1], "[", 1) == 1)
    let sink = LogSink(descriptor: ends[1])
    let log = Logger(label: "test") { _ in SinkLogHandler(sink) }
    log.info("half a line", metadata: ["padding": "\(String(repeating: "x", count: 10_000))"])
    try #require(sink.droppedLineCount == 1)
    var bytes = [UInt8](repeating: 0, count: 10_000)
    var count = read(ends[0], &bytes, bytes.count)
    #expect(count > 0 && bytes[count - 1] == UInt8(ascii: "x"))
    log.info("whole")
    count += read(ends[0], &bytes[count], bytes.count - count)
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasSuffix("xxx"))
    #expect(lines[1].hasSuffix("[WRN] log lines were dropped: nobody took them count=1"))
    #expect(lines[2].hasSuffix("[INF] whole"))
  }

  @Test func `a file goes on where it was, and a pipe's other writers are made to wait as before`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/lastword-\(UUID().uuidString)"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer {
      close(file)
      unlink(path)
    }
    #expect(write(file, "before\n", 7) == 7)
    Logger(label: "test") { _ in SinkLogHandler(LogSink(descriptor: file)) }.info("after")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "before" && lines[1].hasSuffix("[INF] after"))
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let sink = LogSink(descriptor: ends[1])
    #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    withExtendedLifetime(sink) {}
  }

  @Test func `a pipe ends when the sink is gone`() {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    do {
      let sink = LogSink(descriptor: ends[1])
      Logger(label: "test") { _ in SinkLogHandler(sink) }.info("m")
    }
    close(ends[1])
    #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    #expect(read(ends[0], &bytes, bytes.count) > 0)
    #expect(read(ends[0], &bytes, bytes.count) == 0)
    close(ends[0])
  }

  // MARK: Level and form

  @Test func `its level is that of all loggers that have none of their own`() {
    let pipe = LogPipe(level: .warning)
    var own = pipe.log
    own.logLevel = .debug
    for log in [pipe.log, own] { log.info("first") }
    pipe.sink.level = .info
    for log in [pipe.log, own] { log.info("second") }
    pipe.sink.level = .critical
    pipe.log.error("third")
    own.debug("fourth")
    #expect(pipe.texts() == ["INF first", "INF second", "INF second", "DBG fourth"])
  }

  @Test func `its form changes from one line to the next`() throws {
    let pipe = LogPipe()
    pipe.log.info("as text")
    #expect(pipe.texts() == ["INF as text"])
    pipe.sink.form = .json
    pipe.log.notice("as JSON")
    #expect(try pipe.objects() == [["level": "notice", "message": "as JSON"]])
    #expect(!pipe.sink.isTerminal)
  }
}
