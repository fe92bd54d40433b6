import Foundation
import TestSupport
import Testing

/// `lastword wrap`, as an editor starts it.
@Suite struct WrapTests {
  private func wrap(_ options: [String] = [], child: [String] = []) throws -> RunningProgram {
    let command = ["python3", Programs.repository + "/Tests/Servers/child.py"] + child
    return try RunningProgram(
      Programs.lastword, ["wrap"] + options + ["--"] + command, takesInput: true)
  }

  private func request(_ id: Int, _ method: String, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n"
  }

  /// - Parameter line: what comes behind `lastword` there; the words that follow are `$1` and so on.
  private func shell(_ line: String, _ words: String...) throws -> RunningProgram {
    try RunningProgram(
      "/bin/bash", ["-o", "pipefail", "-c", "'\(Programs.lastword)' " + line, "bash"] + words)
  }

  /// Answers each request with its params, and ends with a status of its own.
  private let echo = """
    import re, sys
    for line in sys.stdin:
      print('{"jsonrpc":"2.0","id":%s,"result":%s}' % re.search('"id":([0-9]+).*"params":(.*)}', line).groups())
    print('{"jsonrpc":"2.0","method":"last"}')
    sys.exit(3)
    """

  private let document = #"{"textDocument":{"uri":"file:///a"}}"#

  @Test func `what the client and the server say to each other gets through, and both end together`() throws {
    let program = try wrap()
    try program.send(request(1, "echo", "[1]"))
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":1,"result":[1]}"#)
    try program.send(request(2, "ask", #"{"a":"é"}"#))
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":1,"method":"question","params":{"a": "\u00e9"}}"#)
    try program.send(#"{"jsonrpc":"2.0","id":1,"result":"yes"}"# + "\n")
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":2,"result":"yes"}"#)
    try program.endInput()
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 0)
  }

  @Test func `a newer completion of the same document supersedes an older one, a hover does not`() throws {
    let program = try wrap()
    try program.send(request(1, "textDocument/completion", document))
    try program.send(request(2, "textDocument/hover", document))
    try program.send(request(3, "heard", "[]"))
    #expect(
      program.outputLine()?.contains(#"["textDocument/completion", "textDocument/hover", "heard"]"#) == true)
    // An identical question would share the answer.
    try program.send(#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{}}"# + "\n")
    try program.send(request(4, "textDocument/completion", document))
    let superseded = program.outputLine()
    #expect(superseded?.contains(#""id":1,"error":{"code":-32801"#) == true)
    #expect(superseded?.contains(#""key":"completion:file:///a""#) == true)
    try program.send(request(5, "heard", "[]"))
    #expect(program.outputLine()?.contains(#""$/cancelRequest", "#) == true)
    // The server ends with its input; what it never answered is answered then.
    try program.endInput()
    for _ in 1...2 { #expect(program.outputLine()?.contains("-32084") == true) }
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 0)
  }

  @Test func `an MCP server hears cancels in its own words, under its own ids`() throws {
    let program = try wrap(["--mcp"], child: ["--lines"])
    try program.send(request(71, "hang", "[]") + request(70, "heard", "[]"))
    #expect(program.outputLine() != nil)
    try program.send(
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":71}}"# + "\n")
    #expect(program.outputLine()?.contains(#""id":71,"error":{"code":-32800"#) == true)
    try program.send(request(72, "heard", "[]"))
    #expect(program.outputLine()?.contains(#"["hang", "heard", "notifications/cancelled", "heard"]"#) == true)
    try program.endInput()
    #expect(program.exitStatus() == 0)
  }

  @Test func `when the server ends, so does it, and what was open is answered`() throws {
    let program = try wrap()
    try program.send(request(1, "hang", "[]"))
    try program.send(#"{"jsonrpc":"2.0","method":"exit"}"# + "\n")
    let heard = program.outputLine()
    #expect(heard?.contains("-32084") == true && heard?.contains("mayHaveCompleted") == true)
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends it and the server`(signal: Int32) throws {
    let program = try wrap()
    try program.send(request(1, "echo", "[1]"))
    #expect(program.outputLine() != nil)
    program.signal(signal)
    #expect(program.exitStatus() == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `what a server says behind a signal comes out, its answer, too`(signal: Int32) throws {
    let late = """
      import sys
      def say(text): print('{"jsonrpc":"2.0",' + text + '}', flush=True)
      input()
      say('"method":"ready"')
      say('"method":"last","params":[%d]' % len(sys.stdin.read()))
      say('"id":1,"result":7')
      sys.exit(5)
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", late], takesInput: true)
    // The first of a connection's ids is 1.
    try program.send(request(8, "m", "[]"))
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"ready"}"#)
    program.signal(signal)
    // It was told nothing but the end of its input.
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"last","params":[0]}"#)
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":8,"result":7}"#)
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 5)
    #expect(program.errorLine() == nil)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `what a server does not answer in its time behind a signal is refused`(signal: Int32) throws {
    let slow = """
      import signal, sys
      def say(text): print('{"jsonrpc":"2.0",' + text + '}', flush=True)
      def leave(*_):
        say('"method":"last"')
        sys.exit(6)
      signal.signal(signal.SIGTERM, leave)
      input()
      say('"method":"ready"')
      while True: signal.pause()
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", slow], takesInput: true)
    try program.send(request(8, "m", "[]"))
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"ready"}"#)
    program.signal(signal)
    let refusal = program.outputLine()
    #expect(refusal?.contains(#""id":8,"error":{"code":-32085"#) == true, "\(refusal ?? "")")
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"last"}"#)
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 6)
  }

  @Test func `a second signal ends a server that does not leave`() throws {
    let stubborn = """
      import os, signal, time
      signal.signal(signal.SIGTERM, signal.SIG_IGN)
      input()
      print('{"jsonrpc":"2.0","id":1,"result":%d}' % os.getpid(), flush=True)
      time.sleep(600)
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", stubborn], takesInput: true)
    // The first of a connection's ids is 1.
    try program.send(request(7, "pid", "[]"))
    let answer = try #require(program.outputLine())
    let server = try #require(answer.split(separator: ":").last.flatMap { pid_t($0.dropLast()) })
    try program.endInput()
    // Two of a kind could arrive as one.
    for signal in [SIGTERM, SIGINT] { program.signal(signal) }
    #expect([128 + SIGTERM, 128 + SIGINT].contains(program.exitStatus()))
    #expect(hasGone(server))
  }

  /// Whether a process ends, which has been told to.
  private func hasGone(_ process: pid_t) -> Bool {
    for _ in 0..<(LineSocket.watchdogSeconds * 100) {
      let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      guard let status, !status.contains(") Z") else { return true }
      usleep(10_000)
    }
    kill(process, SIGKILL)
    return false
  }

  @Test func `a server hears all that was said before the end, however slowly it reads`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/heard"
    let slow = "import sys; sys.stdin.read(1); open(sys.argv[1], 'w').write(str(1 + len(sys.stdin.read())))"
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", slow, file], takesInput: true)
    let note =
      #"{"jsonrpc":"2.0","method":"note","params":["\#(String(repeating: "x", count: 1 << 20))"]}"# + "\n"
    try program.send(note)
    try program.endInput()
    #expect(program.exitStatus() == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "\(note.utf8.count)")
  }

  @Test func `what a server says behind the end of its input comes out, and its status`() throws {
    let late = """
      import sys, threading
      def say(text): print('{"jsonrpc":"2.0",' + text + '}', flush=True)
      for line in sys.stdin: pass
      say('"id":1,"result":7')
      say('"method":"late"')
      threading.Event().wait(1)
      say('"method":"last"')
      sys.exit(5)
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", late], takesInput: true)
    // The first of a connection's ids is 1.
    try program.send(request(8, "m", "[]"))
    try program.endInput()
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":8,"result":7}"#)
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"late"}"#)
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"last"}"#)
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 5)
    #expect(program.errorLine() == nil)
  }

  @Test func `a server that reads nothing for a while misses nothing, and nothing piles up`() throws {
    let (count, noteBytes) = (2_000, 64 * 1024)
    let counting = """
      import sys, threading
      threading.Event().wait(3)
      numbers = [int(line.split('[')[1].split(',')[0]) for line in sys.stdin]
      print('{"jsonrpc":"2.0","method":"heard","params":[%d,%d]}' % (numbers == sorted(numbers), len(numbers)))
      """
    let settings = "[bounds]\nmemoryBytes = 67108864\n"
    let directory = try TemporaryDirectory()
    let file = directory.path + "/lastword.toml"
    try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--config", file, "--", "python3", "-c", counting],
      takesInput: true)
    let filling = String(repeating: "x", count: noteBytes)
    for number in 1...count {
      try program.send(
        #"{"jsonrpc":"2.0","method":"textDocument/didChange","params":[\#(number),"\#(filling)"]}"# + "\n")
    }
    // All of it is on its way, and as much as was read of it at once is still here.
    #expect(try program.peakResidentBytes() < count * noteBytes / 2)
    try program.endInput()
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"heard","params":[1,\#(count)]}"#)
    #expect(program.exitStatus() == 0)
  }

  @Test func `a file is read to its end, and another takes all that comes of it`() throws {
    let directory = try TemporaryDirectory()
    let (input, output) = (directory.path + "/input", directory.path + "/output")
    let text = String(repeating: "x", count: 4096)
    let numbers = 1...4_000
    let requests = numbers.map { request($0, "m", #"[\#($0),"\#(text)"]"#) }
    try Data(requests.joined().utf8).write(to: URL(fileURLWithPath: input))
    let program = try shell(#"wrap --mcp -- python3 -c "$1" <"$2" >"$3""#, echo, input, output)
    #expect(program.exitStatus() == 3)
    #expect(program.errorLine() == nil)
    let answers = numbers.map { #"{"jsonrpc":"2.0","id":\#($0),"result":[\#($0),"\#(text)"]}"# + "\n" }
    let heard = try String(contentsOfFile: output, encoding: .utf8)
    #expect(heard == answers.joined() + #"{"jsonrpc":"2.0","method":"last"}"# + "\n")
  }

  @Test func `without any input the server says what it has to say`() throws {
    let program = try shell(#"wrap --mcp -- python3 -c "$1" </dev/null"#, echo)
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"last"}"#)
    #expect(program.outputLine() == nil)
    #expect(program.exitStatus() == 3)
    #expect(program.errorLine() == nil)
  }

  @Test(arguments: [(">/dev/full", "ENOSPC"), ("| read -r", "EPIPE"), (">&-", "EBADF"), ("<&-", "EBADF")])
  func `where nobody takes what the server says, an error says why`(end: String, name: String) throws {
    let directory = try TemporaryDirectory()
    let input = directory.path + "/input"
    try Data((1...20_000).map { request($0, "m", "[]") }.joined().utf8).write(to: URL(fileURLWithPath: input))
    let program = try shell(#"wrap --mcp -- python3 -c "$1" <"$2" \#(end)"#, echo, input)
    #expect(program.exitStatus() == 74)
    var errors: [String] = []
    while let line = program.errorLine() { errors.append(line) }
    #expect(errors.contains { $0.contains("standard") && $0.contains(" \(name): ") })
  }

  @Test func `what is typed on a terminal is heard, and the terminal stays as it was`() throws {
    let terminal = try Terminal()
    let check = "import os; print(os.get_blocking(0))"
    let program = try RunningProgram(
      "/bin/bash",
      [
        "-c", #"exec <"$1"; '\#(Programs.lastword)' wrap --mcp -- python3 -c "$2"; echo $?; python3 -c "$3""#,
        "bash", terminal.name, echo, check,
      ])
    try terminal.type(request(1, "m", "[1]"))
    try terminal.type(request(2, "m", "[2]") + "\u{4}")
    for number in 1...2 {
      #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":\#(number),"result":[\#(number)]}"#)
    }
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"last"}"#)
    #expect(program.outputLine() == "3")
    #expect(program.outputLine() == "True")
  }

  @Test func `pipes that others go on with behind it are left as they were`() throws {
    let check = "import os; print(os.get_blocking(0), os.get_blocking(1))"
    let line = #": | { '\#(Programs.lastword)' wrap --mcp -- python3 -c "$1"; python3 -c "$2"; } | cat"#
    let program = try RunningProgram("/bin/bash", ["-c", line, "bash", echo, check])
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","method":"last"}"#)
    #expect(program.outputLine() == "True True")
  }

  @Test func `twenty thousand requests at once are all answered`() throws {
    let count = 20_000
    let late = """
      import re, sys
      for line in sys.stdin.readlines():
        print('{"jsonrpc":"2.0","id":%s,"result":0}' % re.search('"id":([0-9]+)', line)[1])
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", late], takesInput: true)
    try program.send((1...count).map { request($0, "m", "[]") }.joined())
    try program.endInput()
    var results = 0
    while let line = program.outputLine() { results += line.hasSuffix(#""result":0}"#) ? 1 : 0 }
    #expect(results == count)
    #expect(program.exitStatus() == 0)
  }

  @Test(arguments: [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", 137), ("sys.exit(0)", 0)])
  func `a server that ends by itself is told by its own words and its status`(end: String, status: Int32)
    throws
  {
    let child = #"import os, sys; sys.stderr.write("\x1b[1mé it failed\n"); sys.stderr.flush(); \#(end)"#
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--", "python3", "-c", child], takesInput: true)
    // Nothing was asked of it, and its input has not ended.
    #expect(program.errorLine() == "\u{1b}[1mé it failed")
    #expect(program.exitStatus() == status)
  }

  @Test func `a server that takes long to leave ends with its own status`() throws {
    let slow = """
      import signal, sys
      signal.signal(signal.SIGALRM, lambda *_: sys.exit(7))
      sys.stdin.read()
      signal.alarm(4)
      while True: signal.pause()
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", slow], takesInput: true)
    try program.endInput()
    #expect(program.exitStatus() == 7)
    #expect(program.errorLine() == nil)
  }

  @Test(arguments: [("signal.SIG_DFL", 128 + SIGTERM), ("signal.SIG_IGN", 128 + SIGKILL)])
  func `a signal ends a server that does not leave with its input, whatever time it has`(
    action: String, status: Int32
  ) throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/lastword.toml"
    let settings = "[[upstream]]\nname = \"server\"\ngraceMs = 3600000\n"
    try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
    let stubborn = """
      import signal, time
      signal.signal(signal.SIGTERM, \(action))
      input()
      print('{"jsonrpc":"2.0","id":1,"result":1}', flush=True)
      time.sleep(600)
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--config", file, "--", "python3", "-c", stubborn],
      takesInput: true)
    try program.send(request(7, "ready", "[]"))
    #expect(program.outputLine() != nil)
    program.signal(SIGTERM)
    #expect(program.exitStatus() == status)
  }

  @Test func `where all goes well nothing is said`() throws {
    let program = try wrap()
    try program.send(request(1, "echo", "[1]"))
    #expect(program.outputLine() != nil)
    try program.endInput()
    #expect(program.exitStatus() == 0)
    #expect(program.errorLine() == nil)
  }

  @Test(arguments: [true, false])
  func `a document of twenty megabytes passes, nested in thousands of levels`(isLine: Bool) throws {
    let program = isLine ? try wrap(["--mcp"], child: ["--lines"]) : try wrap()
    let text = #""\#(String(repeating: "x", count: 20 << 20))""#
    // Python's own parser goes no deeper.
    let nested = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    try program.send(request(1, "echo", "[\(text),\(nested)]"))
    let line = try #require(program.outputLine())
    #expect(line.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":["x"#))
    #expect(line.utf8.count > text.utf8.count + nested.utf8.count)
    try program.endInput()
    #expect(program.exitStatus() == 0)
  }

  @Test func `answers nested in five thousand levels pass`() throws {
    let echo =
      "import sys\nfor line in sys.stdin: print(line.replace('\"method\":\"m\",\"params\"', '\"result\"'), flush=True)"
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", echo], takesInput: true)
    let nested = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
    try program.send(request(7, "m", nested))
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":7,"result":\#(nested)}"#)
    try program.endInput()
  }

  @Test func `what a server asks beyond a bound it hears of at once, and all goes on`() throws {
    let asking = """
      import sys
      deep = '[' * 10000 + ']' * 10000
      input()
      print('{"jsonrpc":"2.0","method":"tell","params":%s}' % deep)
      print('{"jsonrpc":"2.0","id":"q","method":"ask","params":%s}' % deep, flush=True)
      print('{"jsonrpc":"2.0","id":1,"result":%s}' % input(), flush=True)
      """
    let program = try RunningProgram(
      Programs.lastword, ["wrap", "--mcp", "--", "python3", "-c", asking], takesInput: true)
    try program.send(request(7, "m", "[]"))
    let error =
      #"{"code":-32700,"message":"parse error: nested deeper than nestingLevels (10000)"}"#
    #expect(
      program.outputLine()
        == #"{"jsonrpc":"2.0","id":7,"result":{"jsonrpc":"2.0","id":"q","error":\#(error)}}"#)
    #expect(program.errorLine()?.contains("beyond messageBytes or nestingLevels") == true)
    try program.endInput()
    #expect(program.exitStatus() == 0)
  }

  @Test func `routes of its own configuration take the place of the usual ones`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/lastword.toml"
    try Data("[[route]]\nmethod = \"hang\"\nkey = \"/0\"\n".utf8).write(to: URL(fileURLWithPath: file))
    let program = try wrap(["--config", file])
    try program.send(request(1, "textDocument/completion", document) + request(2, "hang", "[7]"))
    try program.send(request(3, "textDocument/completion", document) + request(4, "hang", "[7]"))
    #expect(program.outputLine()?.contains(#""id":2,"error":"#) == true)
    try program.endInput()
  }

  @Test(arguments: [("#!/no/such/interpreter\n", 127), ("#!/\n", 126)])
  func `a program that cannot be started ends it at once, with the reason`(text: String, status: Int32) throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/server"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o700)
    // Its input does not end.
    let program = try RunningProgram(Programs.lastword, ["wrap", "--", path], takesInput: true)
    #expect(program.exitStatus() == status)
    var lines: [String] = []
    while let line = program.errorLine() { lines.append(line) }
    let reason = lines.last ?? ""
    #expect(reason.hasPrefix("lastword: cannot start \(path): E"), "\(lines)")
    #expect(reason.hasSuffix("is run by is not there") == (status == 127), "\(lines)")
  }

  @Test func `an upstream of its own configuration says how it is spoken to`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/lastword.toml"
    let text = "[[upstream]]\nname = \"a\"\nframing = \"lines\"\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let program = try wrap(["--config", file], child: ["--lines"])
    try program.send(request(1, "echo", "[1]"))
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":1,"result":[1]}"#)
    try program.endInput()
    #expect(program.exitStatus() == 0)
  }

  @Test(arguments: [
    ("no-such-program", "is not there", 127), ("/no/such/program", "is not there", 127),
    ("/", "cannot be run", 126), ("/etc/passwd", "cannot be run", 126),
  ])
  func `what cannot be run is named, with the status that shells have for it`(
    name: String, reason: String, status: Int32
  ) throws {
    let program = try RunningProgram(Programs.lastword, ["wrap", "--", name])
    #expect(program.errorLine()?.hasPrefix("lastword: '\(name)' \(reason)") == true)
    #expect(program.errorLine() == nil)
    #expect(program.exitStatus() == status)
  }

  @Test func `without a program, and where nothing can be read, the flags are wrong`() throws {
    let program = try RunningProgram(Programs.lastword, ["wrap"])
    #expect(program.errorLine() != nil)
    #expect(program.exitStatus() == 64)
    let deaf = try shell("wrap --mcp -- cat </")
    #expect(deaf.errorLine()?.contains("must be pipes, sockets, files or a terminal") == true)
    #expect(deaf.exitStatus() == 64)
  }
}
