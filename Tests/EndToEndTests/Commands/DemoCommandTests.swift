import Foundation
import TestSupport
import Testing

/// `lastword demo` as somebody runs it who has just built it.
@Suite struct DemoCommandTests {
  private func demo(_ arguments: String...) throws -> RunningProgram {
    try RunningProgram(Programs.lastword, ["demo"] + arguments)
  }

  private func lines(of program: RunningProgram) -> [String] {
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    return lines
  }

  /// The two counts of a line of the summary: without a gateway, through lastword.
  private func counts(_ name: String, _ lines: [String]) throws -> (direct: Int, gateway: Int) {
    let line = try #require(lines.first { $0.hasPrefix(name) }, "\(lines.suffix(12))")
    let counts = line.split(separator: " ").suffix(2).compactMap { Int($0) }
    try #require(counts.count == 2)
    return (counts[0], counts[1])
  }

  private func checkThatStaleAnswersAreShown(_ program: RunningProgram) throws -> [String] {
    let lines = lines(of: program)
    #expect(program.exitStatus() == 0, "\(lines.suffix(12))")
    let typed = try counts("requests typed", lines)
    let answered = try counts("  answered", lines)
    let superseded = try counts("  superseded", lines)
    #expect(typed.direct > 0 && typed.direct == typed.gateway)
    #expect(answered.direct == typed.direct && superseded.direct == 0)
    #expect(answered.gateway + superseded.gateway == typed.gateway && superseded.gateway > 0)
    let stale = try counts("stale answers on screen", lines)
    #expect(stale.direct > 0 && stale.gateway == 0)
    #expect(lines.count { $0.contains("without a gateway") && $0.contains("STALE") } == stale.direct)
    #expect(!lines.contains { $0.contains("through lastword") && $0.contains("STALE") })
    return lines
  }

  @Test func `stale answers reach the left screen and none the right one`() throws {
    let lines = try checkThatStaleAnswersAreShown(demo())
    #expect(lines.first == "Reading /usr ...")
    #expect(try counts("    of them dropped late", lines).gateway < counts("  superseded", lines).gateway)
  }

  @Test func `a server that ignores cancellation answers late, and that is dropped`() throws {
    let lines = try checkThatStaleAnswersAreShown(demo("--ignore-cancel"))
    #expect(try counts("    of them dropped late", lines).gateway > 0)
    #expect(
      lines.contains { $0.contains("through lastword") && $0.contains("dropped: upstream answered late") })
  }

  @Test func `a directory that is searched at once demonstrates nothing, and that is said`() throws {
    let directory = try TemporaryDirectory()
    try Data("hello\n".utf8).write(to: URL(fileURLWithPath: directory.path + "/hello.txt"))
    // Where much else goes on, a thread may stand still long enough for its answer to be overtaken all the same.
    var stale = (direct: 0, gateway: 0)
    for _ in 1...5 {
      let demo = try demo(directory.path)
      let lines = lines(of: demo)
      stale = try counts("stale answers on screen", lines)
      #expect(demo.exitStatus() == (stale.direct > 0 ? 0 : 2))
      #expect(lines.contains { $0.contains("demonstrated nothing") } == (stale.direct == 0))
      #expect(stale.gateway == 0)
      if stale.direct == 0 { break }
    }
    #expect(stale.direct == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends it in the middle`(signal: Int32) throws {
    let directory = try TemporaryDirectory()
    let demo = try demo(directory.path)
    while let line = demo.outputLine(), !line.hasSuffix("sent") {}
    demo.signal(signal)
    #expect(demo.exitStatus() == 128 + signal)
    #expect(!lines(of: demo).contains { $0.hasPrefix("requests typed") })
  }

  @Test func `what cannot be read or listened on is said`() throws {
    let missing = try demo("/nowhere/at/all")
    #expect(missing.errorLine() == "lastword: /nowhere/at/all: No such file or directory")
    #expect(missing.exitStatus() == 66)
    let taken = try ListeningSocket()
    let directory = try TemporaryDirectory()
    let deaf = try demo(directory.path, "--listen", "127.0.0.1:\(taken.port)")
    #expect(try #require(deaf.errorLine()).contains("EADDRINUSE"))
    #expect(deaf.exitStatus() == 69)
  }

  @Test func `its live page is where it says, with the port that the kernel gave`() throws {
    let directory = try TemporaryDirectory()
    let demo = try demo(directory.path, "--admin", "127.0.0.1:0")
    var page: String?
    while page == nil, let line = demo.outputLine() {
      if line.hasPrefix("The live page: ") { page = line }
    }
    demo.signal(SIGTERM)
    let prefix = "The live page: http://127.0.0.1:"
    let port = Int(try #require(page).dropFirst(prefix.count).dropLast())
    #expect(page?.hasPrefix(prefix) == true && (1...65_535).contains(port ?? 0))
    #expect(demo.exitStatus() == 128 + SIGTERM)
  }

  @Test func `its gateway is on this machine, or nothing begins`() throws {
    let open = try demo(try TemporaryDirectory().path, "--listen", "0.0.0.0:0")
    #expect(try #require(open.errorLine()).contains("--listen must be a loopback address or unix:PATH"))
    #expect(open.exitStatus() == 64)
  }

  @Test func `its live page is on this machine, or nothing begins`() throws {
    let directory = try TemporaryDirectory()
    let taken = try ListeningSocket()
    let hidden = try demo(directory.path, "--admin", "127.0.0.1:\(taken.port)")
    #expect(try #require(hidden.errorLine()).contains("EADDRINUSE"))
    #expect(hidden.exitStatus() == 69)
    let open = try demo(directory.path, "--admin", "0.0.0.0:0")
    #expect(try #require(open.errorLine()).contains("--admin: error: "))
    #expect(open.exitStatus() == 78)
  }

  @Test func `the page to type into is where it says, until a signal`() throws {
    let directory = try TemporaryDirectory()
    let demo = try demo(directory.path, "--page", "--page-address", "127.0.0.1:0")
    var page: String?
    while page == nil, let line = demo.outputLine() {
      if line.hasPrefix("The page to type into: ") { page = line }
    }
    demo.signal(SIGINT)
    let prefix = "The page to type into: http://127.0.0.1:"
    let port = Int(try #require(page).dropFirst(prefix.count).dropLast())
    #expect(page?.hasPrefix(prefix) == true && (1...65_535).contains(port ?? 0))
    #expect(demo.exitStatus() == 128 + SIGINT)
  }

  @Test(arguments: [
    ["--page-address", "0.0.0.0:0"], ["--page-address", "unix:page"], ["--listen", "unix:gateway"],
    ["--admin", "127.0.0.1:0"],
  ])
  func `the page is on this machine, and where browsers reach it and its gateway`(words: [String]) throws {
    let demo = try RunningProgram(
      Programs.lastword, ["demo", try TemporaryDirectory().path, "--page"] + words)
    #expect(try #require(demo.errorLine()).contains(words[0]))
    #expect(demo.exitStatus() == 64)
  }

  @Test func `a page whose port is taken is not served`() throws {
    let (directory, taken) = (try TemporaryDirectory(), try ListeningSocket())
    let demo = try demo(
      directory.path, "--page", "--page-address", "127.0.0.1:\(taken.port)")
    #expect(try #require(demo.errorLine()).contains("EADDRINUSE"))
    #expect(demo.exitStatus() == 69)
  }
}
