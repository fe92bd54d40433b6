import TestSupport
import Testing

/// What a gateway cannot be without fails when it starts.
@Suite struct StartFaultTests {
  private static let listening = "cannot listen on 127.0.0.1:0"

  @Test(arguments: [
    ("epoll_create1", "EMFILE", "cannot start", 71), ("eventfd2", "ENFILE", "cannot start", 71),
    ("timerfd_create", "ENOMEM", "cannot start", 71), ("socket", "EMFILE", listening, 71),
    ("bind", "EACCES", listening, 77), ("listen", "EADDRINUSE", listening, 69),
    ("epoll_ctl", "ENOSPC", listening, 71),
  ])
  func `it says what, and does not start`(
    name: String, error: String, complaint: String, status: Int32
  ) throws {
    let words = try SystemCallFaults.words(name, "error=\(error):when=1")
    let serve = [Programs.lastword, "serve", "--log-format", "text", "--listen", "127.0.0.1:0"]
    let program = try RunningProgram(words[0], words.dropFirst() + serve)
    let line = try #require(program.errorLine())
    #expect(line.contains("[ERR] \(complaint): \(error): "), "\(line)")
    #expect(program.errorLine() == nil)
    #expect(program.exitStatus() == status)
  }
}
