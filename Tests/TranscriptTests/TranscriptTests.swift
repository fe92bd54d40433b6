import Foundation
import TestSupport
import Testing

/// The transcripts under `proto/transcripts`, played by the contract's own runner against the real binary.
@Suite struct TranscriptTests {
  @Test func `there are transcripts of every kind`() {
    for group in ["required", "recommended", "configured"] {
      #expect(Transcript.all.contains { $0.path.contains("/\(group)/") })
    }
  }

  @Test(arguments: Transcript.all)
  func `the gateway speaks as the transcript says, byte for byte`(transcript: Transcript) throws {
    let directory = try TemporaryDirectory()
    let upstream = try transcript.playsUpstream() ? "unix:\(directory.path)/upstream.sock" : nil
    let gateway = try transcript.gateway(upstream: upstream)
    var arguments = [gateway.address, "--exact", "--pid", "\(gateway.program.identifier)", transcript.path]
    if let upstream { arguments += ["--upstream", upstream] }
    let run = try Conformance(arguments)
    #expect(run.status == 0, "\(run.lines)")
    #expect(try (transcript.stopsTheGateway() ? gateway.program.exitStatus() : gateway.stop()) == 0)
  }

  @Test func `a gateway that has served others passes, too`() throws {
    let gateway = try RunningGateway()
    let run = try Conformance([gateway.address, "--recommended"])
    #expect(run.status == 0, "\(run.lines.filter { !$0.hasSuffix(": passed") })")
    let expected = Transcript.all.filter { !$0.path.contains("/configured/") }.count
    #expect(run.lines.last == "\(expected) passed, 0 failed")
  }

  @Test(arguments: ["websocket", "post"])
  func `other transports carry what lines do, where it applies`(transport: String) throws {
    let gateway = try RunningGateway()
    let run = try Conformance([gateway.address, "--recommended", "--transport", transport])
    #expect(run.status == 0, "\(run.lines.filter { !$0.hasSuffix(": passed") })")
    // Most are for each of them.
    #expect(run.lines.count { $0.hasSuffix(": passed") } > run.lines.count / 2)
  }

  @Test(
    arguments: ["websocket", "post"],
    [
      (#""supersededBy":2"#, #""supersededBy":1"#), (#""code":-32080"#, #""code":-32800"#),
      (#""result":{"ms":50,"#, #""result":{"ms":50.0,"#),
    ])
  func `the runner finds it over other transports, too`(
    transport: String, change: (right: String, wrong: String)
  ) throws {
    let gateway = try RunningGateway()
    let directory = try TemporaryDirectory()
    let file = directory.path + "/wrong.txt"
    let text = try String(contentsOfFile: Transcript.directory + "/required/02-cancel.txt", encoding: .utf8)
    try text.replacingOccurrences(of: change.right, with: change.wrong).write(
      toFile: file, atomically: true, encoding: .utf8)
    let run = try Conformance([gateway.address, "--transport", transport, "--seconds", "2", file])
    #expect(run.status == 1)
    #expect(run.lines.first?.contains("FAILED: line ") == true, "\(run.lines)")
  }

  @Test(arguments: [
    (#""supersededBy":2"#, #""supersededBy":1"#), (#""code":-32080"#, #""code":-32800"#),
    (#""phase":"#, #""stage":"#), (#""result":{"ms":50,"#, #""result":{"ms":50.0,"#),
    ("<< ", "<<C "), ("<< ", "<<2 "),
  ])
  func `the runner finds what is not as the transcript says`(right: String, wrong: String) throws {
    let gateway = try RunningGateway()
    let directory = try TemporaryDirectory()
    let file = directory.path + "/wrong.txt"
    let text = try String(contentsOfFile: Transcript.directory + "/required/02-cancel.txt", encoding: .utf8)
    #expect(text.contains(right))
    try text.replacingOccurrences(of: right, with: wrong).write(
      toFile: file, atomically: true, encoding: .utf8)
    let run = try Conformance([gateway.address, "--seconds", "2", file])
    #expect(run.status == 1)
    #expect(run.lines.first?.contains("FAILED: line ") == true, "\(run.lines)")
  }

  @Test(arguments: [
    ("^^ {\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\"", "// {"), ("<id:undoing>", "<id:first>"),
    (#""result":{"seat":7}}}"#, #""result":{"seat":8}}}"#),
  ])
  func `the runner finds what upstream should have heard otherwise`(right: String, wrong: String) throws {
    let directory = try TemporaryDirectory()
    let upstream = "unix:\(directory.path)/upstream.sock"
    let original = Transcript(path: Transcript.directory + "/configured/compensation/01-late-success.txt")
    let gateway = try original.gateway(upstream: upstream)
    let file = directory.path + "/wrong.txt"
    let text = try String(contentsOfFile: original.path, encoding: .utf8)
    #expect(text.contains(right))
    try text.replacingOccurrences(of: right, with: wrong).write(
      toFile: file, atomically: true, encoding: .utf8)
    let run = try Conformance([gateway.address, "--upstream", upstream, "--seconds", "2", file])
    #expect(run.status == 1)
    #expect(run.lines.first?.contains("FAILED: line ") == true, "\(run.lines)")
  }

  @Test func `where nobody listens nothing passes`() throws {
    let gateway = try RunningGateway()
    #expect(gateway.stop() == 0)
    let run = try Conformance([gateway.address, Transcript.directory + "/required/01-hello.txt"])
    #expect(run.status == 1)
  }
}

/// A finished run of `scripts/conformance`.
private struct Conformance {
  let lines: [String]
  let status: Int32?

  init(_ arguments: [String]) throws {
    let program = try RunningProgram(Programs.repository + "/scripts/conformance", arguments)
    var lines: [String] = []
    while let line = program.outputLine() { lines.append(line) }
    self.lines = lines
    status = program.exitStatus()
  }
}
