import Foundation
import TestSupport
import Testing

/// A log that nobody reads, and what others write into it.
@Suite(.forLines(.log)) struct ProcessLogRowTests {
  @Test func `a log that nobody reads holds up nothing, and what is missing in it is counted`() throws {
    let superseded = 3_000
    let gateway = try RunningGateway(["--log-level", "debug"])
    let client = try gateway.connect()
    for number in 1...superseded + 1 {
      try client.send(
        #"{"jsonrpc":"2.0","id":\#(number),"method":"sleep","params":{"ms":60000},"task":{"key":"k"}}"#)
      if number > 1 { #expect(try client.expect().isError(-32080, id: "\(number - 1)")) }
    }
    // Nothing of it was read until now. All that is in the pipe is taken at once, and makes room.
    _ = try #require(gateway.program.errorLine())
    try client.send(#"{"jsonrpc":"2.0","id":0,"method":"sleep","params":{"ms":0},"task":{"key":"k"}}"#)
    #expect(try client.expect().isError(-32080, id: "\(superseded + 1)"))
    var (heard, dropped) = (1, 0)
    while heard + dropped <= superseded {
      let line = try #require(gateway.program.errorLine(), "\(heard) heard, \(dropped) dropped")
      if let told = line.firstMatch(of: /\[WRN\] log lines were dropped: nobody took them count=(\d+)$/) {
        #expect(dropped == 0)
        dropped = try #require(Int(told.1))
      } else {
        #expect(line.contains("[DBG] superseded afterMs="))
        heard += 1
      }
    }
    #expect(heard + dropped == superseded + 1 && heard > 1 && dropped > 0)
    #expect(try gateway.metrics()["lastword_log_lines_dropped_total"] == Double(dropped))
  }

  @Test func `a terminal that nobody reads holds up nothing, either`() throws {
    let (directory, terminal) = (try TemporaryDirectory(), try Terminal())
    let manager = try DatagramSocket(directory.path + "/notify")
    let program = try RunningProgram(
      "/bin/sh",
      [
        "-c", #"exec "$0" serve --listen 127.0.0.1:0 --log-level debug 2>"$1""#, Programs.lastword,
        terminal.name,
      ], environment: ["NOTIFY_SOCKET": manager.name])
    let client = try LineSocket(manager.receive().split(separator: " ").last.map(String.init) ?? "")
    for number in 1...3_001 {
      try client.send(
        #"{"jsonrpc":"2.0","id":\#(number),"method":"sleep","params":{"ms":60000},"task":{"key":"k"}}"#)
      if number > 1 { #expect(try client.expect().isError(-32080, id: "\(number - 1)")) }
    }
    var said = try terminal.read()
    #expect(said.contains("[DBG] superseded afterMs="))
    // Reading makes room, and the next that is logged is behind a line of how much is missing.
    for number in 3_002...4_000 where !said.contains("log lines were dropped: nobody took them count=") {
      while terminal.hasNews { said += try terminal.read() }
      try client.send(
        #"{"jsonrpc":"2.0","id":\#(number),"method":"sleep","params":{"ms":60000},"task":{"key":"k"}}"#)
      #expect(try client.expect().isError(-32080, id: "\(number - 1)"))
    }
    #expect(said.contains("[WRN] log lines were dropped: nobody took them count="))
    program.signal(SIGTERM)
    program.signal(SIGTERM)
    #expect(program.exitStatus() != nil)
  }

  /// What a client calls its method, and how a log shows it.
  static let methods: [(said: String, text: String, json: String)] = [
    (#"a\r\u001b[2Jb"#, #"line=<a\u{d}\u{1b}[2Jb>"#, #""line":"<a\u000d\u001b[2Jb>""#),
    (#"\u0085\u2028\u202e"#, #"line=<\u{85}\u{2028}\u{202e}>"#, #""line":"<\u0085\u2028\u202e>""#),
    (#"\"level\":\"error\""#, ##"line="<\"level\":\"error\">""##, #""line":"<\"level\":\"error\">""#),
    (#"x [ERR] y=z"#, #"line="<x [ERR] y=z>""#, #""line":"<x [ERR] y=z>""#),
  ]

  @Test(arguments: methods, ["text", "json"])
  func `what a peer sends is one line of the log, and controls nothing`(
    method: (said: String, text: String, json: String), format: String
  ) throws {
    let child = """
      import json, sys
      for line in sys.stdin:
        call = json.loads(line)
        print("<" + call["method"] + ">", file=sys.stderr, flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": 1}), flush=True)
      """
    let directory = try TemporaryDirectory()
    let path = directory.path + "/child.py"
    try Data(child.utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(
      upstream: "exec:python3 -X utf8 '\(path)'", environment: ["LASTWORD_LOG_FORMAT": format])
    #expect(try Reply(gateway.connect().call(request(1, method.said))).code == nil)
    var line = ""
    while !line.contains("upstream says") { line = try #require(gateway.program.errorLine()) }
    #expect(line.contains(format == "json" ? method.json : method.text), "\(line)")
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    if format == "json" {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["level"] as? String == "info" && object?["message"] as? String == "upstream says")
    }
    #expect(gateway.stop() == 0)
  }

  @Test func `a child that writes several lines cannot begin one of ours`() throws {
    let gateway = try RunningGateway(
      upstream: #"exec:sh -c "printf '\n[1] x [ERR] mine\n\r\n{}\n' >&2; exec cat""#,
      environment: RunningGateway.oneLoop)
    for said in [#""[1] x [ERR] mine""#, "{}"] {
      let line = try #require(gateway.program.errorLine())
      #expect(line.contains(" [INF] upstream says line=\(said) upstream="), "\(line)")
    }
    #expect(gateway.stop() == 0)
  }
}
