import Configuration
import Testing

/// What is wrong is said exactly, at its very place.
@Suite struct ErrorTests {
  @Test(arguments: [
    // Keys nobody knows.
    ("drainMS = 1", "1:1: error: unknown key 'drainMS'; did you mean 'drainMs'?"),
    ("wibble = 1", "1:1: error: unknown key 'wibble'"),
    ("[bound]\ntasks = 1", "1:2: error: unknown key 'bound'; did you mean 'bounds'?"),
    (
      "[bounds]\n  mesageBytes = 5",
      "2:3: error: unknown key 'mesageBytes' in [bounds]; did you mean 'messageBytes'?"
    ),
    (
      "[bounds]\nunanswered = 5",
      "2:1: error: unknown key 'unanswered' in [bounds]; did you mean 'unansweredPerConnection'?"
    ),
    ("log.levle = 'info'", "1:5: error: unknown key 'levle' in [log]; did you mean 'level'?"),
    (#"log = { level = "info", to = 1 }"#, "1:25: error: unknown key 'to' in [log]"),
    ("\"a\\u001b[2J\" = 1", "1:1: error: unknown key 'a\\u{1b}[2J'"),
    // Types.
    (#"drainMs = "5""#, "1:11: error: 'drainMs' must be an integer, not a string"),
    ("drainMs = 5.0", "1:11: error: 'drainMs' must be an integer, not a floating-point number"),
    ("drainMs = 1979-05-27", "1:11: error: 'drainMs' must be an integer, not a date"),
    ("drainMs = 07:32:00", "1:11: error: 'drainMs' must be an integer, not a time"),
    ("drainMs = 1979-05-27 07:32:00", "1:11: error: 'drainMs' must be an integer, not a date-time"),
    ("drainMs.x = 5", "1:1: error: 'drainMs' must be an integer, not a table"),
    ("[log]\nlevel = 3", "2:9: error: 'level' must be a string, not an integer"),
    ("[log]\nlevel = [3]", "2:9: error: 'level' must be a string, not an array"),
    ("log = 3", "1:1: error: 'log' must be a table: [log]"),
    ("[[bounds]]", "1:3: error: 'bounds' must be a table: [bounds]"),
    ("[listen]", "1:2: error: 'listen' must be an array of tables: [[listen]]"),
    ("listen = [1]", "1:1: error: 'listen' must be an array of tables: [[listen]]"),
    ("upstream = []", "1:12: error: 'upstream' must not be empty"),
    // Ranges and names.
    ("drainMs = -1", "1:11: error: 'drainMs' must be 0 to 3_600_000 milliseconds, not -1"),
    (
      "[bounds]\nmessageBytes = 1_023",
      "2:16: error: 'messageBytes' must be 1024 to 1_073_741_824 bytes, not 1023"
    ),
    ("[bounds]\ntasks = 2000001", "2:9: error: 'tasks' must be 1 to 2_000_000, not 2000001"),
    (
      "[log]\nlevel = 'wran'",
      "2:9: error: 'level' must be 'trace', 'debug', 'info', 'notice', 'warning', 'error' or 'critical', "
        + "not 'wran'"
    ),
    (
      "[log]\nlevel = \"warn\"",
      "2:9: error: 'level' must be 'trace', 'debug', 'info', 'notice', 'warning', 'error' or 'critical', "
        + "not 'warn'; did you mean 'warning'?"
    ),
    // Bounds that contradict each other: at the later of the two.
    (
      "[bounds]\nclientOutputHardBytes = 2048",
      "2:25: error: 'clientOutputSoftBytes' (1048576) must not be more than 'clientOutputHardBytes' (2048)"
    ),
    (
      "[bounds]\nupstreamOutputHardBytes = 2048\nupstreamOutputSoftBytes = 2049",
      "3:27: error: 'upstreamOutputSoftBytes' (2049) must not be more than 'upstreamOutputHardBytes' (2048)"
    ),
    (
      "[bounds]\nmessageBytes = 1_073_741_824",
      "2:16: error: 'messageBytes' (1073741824) must not be more than 'payloadBytes' (268435456)"
    ),
    (
      "[bounds]\nlastBackOffMs = 49",
      "2:17: error: 'firstBackOffMs' (50) must not be more than 'lastBackOffMs' (49)"
    ),
    (
      "[bounds]\nlongestTimeoutMs = 59999",
      "2:20: error: 'timeoutMs' (60000) must not be more than 'longestTimeoutMs' (59999)"
    ),
    (
      "[bounds]\ndrainMs = 2\nlongestDrainMs = 1",
      "3:18: error: 'drainMs' (2) must not be more than 'longestDrainMs' (1)"
    ),
    (
      "[[route]]\nmethod = 'm'\nlongestTimeoutMs = 59999",
      "3:20: error: 'timeoutMs' (60000) must not be more than 'longestTimeoutMs' (59999)"
    ),
    (
      "[[route]]\nmethod = 'm'\nlongestDebounceMs = 1\ndebounceMs = 2",
      "4:14: error: 'debounceMs' (2) must not be more than 'longestDebounceMs' (1)"
    ),
  ])
  func `a mistake in a setting`(text: String, complaint: String) {
    #expect(complaints(text) == ["lw.toml:\(complaint)"])
  }

  @Test(arguments: [
    ("address = 'localhost'", "2:11: error: 'address' must be HOST:PORT or unix:PATH, not 'localhost'"),
    ("address = 'a:65536'", "2:11: error: 'address' must be HOST:PORT or unix:PATH, not 'a:65536'"),
    ("adress = 'a:1'", "1:3: error: [[listen]] needs 'address'"),
    ("address = '[::1]:1'\nscope = 'all'", "3:9: error: 'scope' must be 'shared' or 'connection', not 'all'"),
    (
      "address = '[::1]:1'\neof = 'canel'",
      "3:7: error: 'eof' must be 'reply' or 'cancel', not 'canel'; did you mean 'cancel'?"
    ),
    (
      "address = '[::1]:1'\nerrorProfile = 'LSP'",
      "3:16: error: 'errorProfile' must be 'standard' or 'lsp', not 'LSP'"
    ),
    (
      "address = '[::1]:1'\n[[listen]]\naddress = 'tcp:[::1]:1'",
      "4:11: error: 'address' is \"[::1]:1\" a second time; the first is at lw.toml:2"
    ),
  ])
  func `a mistake in a listener`(text: String, complaint: String) {
    #expect(complaints("[[listen]]\n" + text).first == "lw.toml:\(complaint)")
  }

  @Test(arguments: [
    ("name = 'a'", "1:3: error: [[upstream]] needs 'address' or 'addresses'"),
    ("address = 'tcp:a:1'", "1:3: error: [[upstream]] needs 'name'"),
    (
      "name = 'a b'\naddress = 'demo'",
      "2:8: error: 'name' must be 1 to 64 letters, digits, '-', '_' or '.', not 'a b'"
    ),
    (
      "name = 'a'\naddress = 'demo'\ncancel = 'MCP'",
      "4:10: error: 'cancel' must be 'lsp', 'mcp', 'notification', 'abort' or 'none', not 'MCP'"
    ),
    (
      "name = 'a'\naddress = 'demo'\noutputHardBytes = 1024",
      "4:19: error: 'outputSoftBytes' (1048576) must not be more than 'outputHardBytes' (1024)"
    ),
    (
      "name = 'a'\naddress = 'demo'\n[[upstream]]\nname = 'a'\naddress = 'demo'",
      "5:8: error: 'name' is \"a\" a second time; the first is at lw.toml:2"
    ),
  ])
  func `a mistake in an upstream`(text: String, complaint: String) {
    #expect(complaints("[[upstream]]\n" + text) == ["lw.toml:\(complaint)"])
  }

  @Test(arguments: [
    (
      "method = 'a*b'",
      "2:10: error: 'method' must be \(method), or the beginning of one and a '*', not 'a*b'"
    ),
    ("method = ''", "2:10: error: 'method' must be \(method), or the beginning of one and a '*', not ''"),
    (
      "method = 'rpc.*'",
      "2:10: error: 'method' must not be 'rpc.*': methods of lastword and rpc never reach an upstream"
    ),
    ("key = '/a'", "1:3: error: [[route]] needs 'method'"),
    (
      "method = 'a'\nupstream = 'man'",
      "3:12: error: no upstream is named 'man'; did you mean 'main'?"
    ),
    ("method = 'a'\nkey = 'uri'", "3:7: error: 'key' must be \(pointer), not 'uri'"),
    ("method = 'a'\nkey = ''", "3:7: error: 'key' must be \(pointer), not ''"),
    (
      "method = 'a'\nkey = '/a~2'",
      "3:7: error: 'key' must be \(pointer): in '/a~2' a '~' is not followed by 0 or 1"
    ),
    ("method = 'a'\nkeyPrefix = 'b'", "3:13: error: 'keyPrefix' says nothing without 'key'"),
    (
      "method = 'a'\nkey = '/a'\nkeyPrefix = '1234567890123456'\n[bounds]\nkeyBytes = 16",
      "4:13: error: 'keyPrefix' has 16 bytes, and no key may have more than 'keyBytes' (16)"
    ),
    ("method = 'a'\npriority = 10", "3:12: error: 'priority' must be 0 to 9, not 10"),
    ("method = 'a'\nrequireKey = 1", "3:14: error: 'requireKey' must be true or false, not an integer"),
    (
      "method = 'a'\npolicy = 'latest'",
      "3:10: error: 'policy' must be \(policies), not 'latest'"
    ),
    (
      "method = 'a'\npolicies = ['wait', 'cancle']",
      "3:21: error: 'policies' must be \(policies), not 'cancle'; did you mean 'cancel'?"
    ),
    ("method = 'a'\npolicies = []", "3:12: error: 'policies' must not be empty"),
    ("method = 'a'\npolicies = 'wait'", "3:12: error: 'policies' must be an array of strings, not a string"),
    (
      "method = 'a'\npolicies = ['wait',\n 7]",
      "4:2: error: 'policies' must be an array of strings, not of an integer"
    ),
    ("method = 'a'\npolicies = ['cancel', 'cancel']", "3:23: error: 'policies' names 'cancel' twice"),
    (
      "method = 'a'\npolicies = ['wait']\npolicy = 'cancel'",
      "4:10: error: 'policies' does not allow 'cancel'"
    ),
    (
      "method = 'a'\npolicies = ['wait']",
      "3:12: error: 'policies' does not allow 'cancel', which is the default of 'policy'"
    ),
    (
      "method = 'a'\njoin = 'always'",
      "3:8: error: 'join' must not be 'always' with the policy 'cancel'"
    ),
    (
      "method = 'a'\npolicy = 'wait'\nsuperseded = 'follow'",
      "4:14: error: 'superseded' must not be 'follow' with the policy 'wait'"
    ),
    (
      "method = 'a'\ndebounceMs = 50\nmaxWaitMs = 50",
      "4:13: error: 'maxWaitMs' (50) must be more than 'debounceMs' (50)"
    ),
    (
      "method = 'a'\ncompensate = 'b'\nmaxRunning = 2",
      "4:14: error: 'maxRunning' (2) must be 1 with 'compensate': of what may be undone one runs at a time"
    ),
    ("method = 'a'\nmaxWaitMs = 50", "3:13: error: 'maxWaitMs' says nothing without 'debounceMs'"),
    (
      "method = 'a'\ncompensate = 'lastword.cancel'",
      "3:14: error: 'compensate' must not be 'lastword.cancel': "
        + "methods of lastword and rpc never reach an upstream"
    ),
    (
      "method = 'a'\n[[route]]\nmethod = 'a'",
      "4:10: error: 'method' is \"a\" a second time; the first is at lw.toml:2"
    ),
    (
      "method = '12345678901234567*'\n[bounds]\nmethodBytes = 16",
      "2:10: error: 'method' has 17 bytes, and no request may have more than 'methodBytes' (16)"
    ),
  ])
  func `a mistake in a route`(text: String, complaint: String) {
    #expect(complaints("[[route]]\n" + text) == ["lw.toml:\(complaint)"])
  }

  static let method = "a method of at most 4096 bytes"
  static let pointer = "a JSON Pointer into the params, such as '/textDocument/uri' or '/0'"
  static let policies =
    "'cancel', 'cancelAndWait', 'wait', 'concurrent', 'preferPrevious', 'keepLatest' or 'onAnswer'"

  @Test func `everything that is wrong is said, from the top to the end`() {
    let text = """
      [[route]]
      method = "search"
      upstream = "b"
      maxWaitMs = 1

      [bounds]
      tasks = 0
      queue = 1

      [[listen]]
      scope = "shared"
      """
    #expect(
      complaints(text) == [
        "lw.toml:3:12: error: no upstream is named 'b'",
        "lw.toml:4:13: error: 'maxWaitMs' says nothing without 'debounceMs'",
        "lw.toml:7:9: error: 'tasks' must be 1 to 2_000_000, not 0",
        "lw.toml:8:1: error: unknown key 'queue' in [bounds]; did you mean 'queuePerLane'?",
        "lw.toml:10:3: error: [[listen]] needs 'address'",
      ])
  }

  @Test func `a value that was refused is not complained of a second time`() {
    let text = """
      [[upstream]]
      name = "a b"
      address = "demo"
      [[route]]
      method = "search"
      upstream = "a"
      debounceMs = -1
      maxWaitMs = 5
      """
    #expect(complaints(text).count == 2)
  }

  @Test(arguments: [
    ("listen", 64, "address = '127.0.0.1:0'"), ("upstream", 64, "name = 'u#'\naddress = 'demo'"),
    ("route", 1_024, "method = 'm#'"),
  ])
  func `of every block there may be only so many`(name: String, most: Int, settings: String) {
    let blocks = (0..<most).map {
      "[[\(name)]]\n" + settings.split(separator: "#").joined(separator: "\($0)") + "\n"
    }
    #expect(complaints(blocks.joined()).isEmpty)
    let last = blocks.joined().count { $0 == "\n" } + 1
    let over = settings.split(separator: "#").joined(separator: "x")
    #expect(
      complaints(blocks.joined() + "[[\(name)]]\n" + over)
        == ["lw.toml:\(last):3: error: more than \(most) times [[\(name)]]"])
  }

  @Test func `so many mistakes are told, and that there are more`() {
    let lines = (1...102).map { "x\($0) = 1\n" }
    #expect(complaints(lines.prefix(100).joined()).count == 100)
    let found = complaints(lines.joined())
    #expect(found.count == 101 && found.last == "lw.toml:101:1: error: more than 100 mistakes")
  }

  // MARK: Addresses

  static let longPath = "/" + String(repeating: "a", count: 107)
  static let tooLong = "must have a path of at most 107 bytes, as the kernel has it, not of 108"

  @Test(arguments: [
    ("[[listen]]\naddress = 'unix:\(longPath)'", "2:11: error: 'address' \(tooLong)"),
    ("[admin]\naddress = 'unix:\(longPath)'", "2:11: error: 'address' \(tooLong)"),
    ("[[upstream]]\nname = 'a'\naddress = 'unix:\(longPath)'", "3:11: error: 'address' \(tooLong)"),
    (
      "[[upstream]]\nname = 'a'\naddress = 'tcp:127.0.0.1:0'",
      "3:11: error: 'address' must have a port of 1 to 65535, where somebody listens, not 0"
    ),
    (
      "[[listen]]\naddress = 'unix:a'\n[[listen]]\naddress = 'unix:./a'",
      "4:11: error: 'address' is \"unix:./a\", which \"unix:a\" has already: lw.toml:2"
    ),
    (
      "[[listen]]\naddress = '127.0.0.1:1'\n[[listen]]\naddress = '0.0.0.0:1'\naudience = 'network'",
      "4:11: error: 'address' is \"0.0.0.0:1\", which \"127.0.0.1:1\" has already: lw.toml:2"
    ),
    (
      "[bounds]\nlongestDrainMs = 0",
      "2:18: error: 'drainMs' (5000) must not be more than 'longestDrainMs' (0)"
    ),
  ])
  func `what could never be listened on, reached or kept to is refused`(text: String, complaint: String) {
    #expect(complaints(text) == ["lw.toml:" + complaint])
  }

  @Test func `the longest path of a socket is taken`() {
    #expect(complaints("[[listen]]\naddress = 'unix:\(Self.longPath.dropLast())'").isEmpty)
  }
}
