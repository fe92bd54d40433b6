import TestSupport
import Testing

/// What a gateway cannot be without fails when it starts.
@Suite struct StartFaultTests {
  @Test(arguments: [
    ("epoll_create1", "EMFILE", "cannot start"), ("eventfd2", "ENFILE", "cannot start"),
    ("timerfd_create", "ENOMEM", "cannot start"), ("socket", "EMFILE", "cannot listen on 127.0.0.1:0"),
    ("bind", "EACCES", "cannot listen on 127.0.0.1:0"),
    ("listen", "EADDRINUSE", "cannot listen on 127.0.0.1:0"),
    ("epoll_ctl", "ENOSPC", "cannot listen on 127.0.0.1:0"),
  ])
  func `it says what, and does not start`(name: String, error: String, complaint: String) throws {
    let words = try SystemCallFaults.words(name, "error=\(error):when=1")
    let program = try RunningProgram(
      words[0], words.dropFirst() + [Programs.lastword, "serve", "--listen", "127.0.0.1:0"])
    let line = try #require(program.errorLine())
    #expect(line.contains("[ERR] \(complaint): \(error): "), "\(line)")
    #expect(program.errorLine() == nil)
    #expect(program.exitStatus() == (error == "EADDRINUSE" ? 69 : 71))
  }
}
