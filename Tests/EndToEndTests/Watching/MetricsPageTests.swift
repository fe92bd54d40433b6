import Foundation
import TestSupport
import Testing

/// Prometheus's own tool, where there is one.
private enum Promtool {
  static let path = ProcessInfo.processInfo.environment["LASTWORD_PROMTOOL"] ?? "/usr/bin/promtool"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
}

/// The pages by which a gateway is watched, and their bounds.
@Suite struct MetricsPageTests {
  /// A gateway to which a principal has come, so that nothing is missing of what there can be.
  private struct Watched {
    let gateway: RunningGateway
    let directory: TemporaryDirectory
    let client: LineSocket

    init() throws {
      directory = try TemporaryDirectory()
      let text = """
        [[listen]]
        address = "unix:\(directory.path)/socket"
        auth = "required"
        [[principal]]
        name = "ada"
        users = ["\(getuid())"]
        """
      let path = directory.path + "/lastword.toml"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      gateway = try RunningGateway(["--config", path], listen: [])
      client = try LineSocket("unix:\(directory.path)/socket")
      _ = try client.call(request(1, "echo", key: "k"))
    }
  }

  @Test(.enabled(if: Promtool.isInstalled)) func `Prometheus's own linter has nothing to say`() throws {
    let watched = try Watched()
    let linter = try RunningProgram(Promtool.path, ["check", "metrics"], takesInput: true)
    let page = try watched.gateway.get("/metrics")
    #expect(page.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    try linter.send(page.body + "\n")
    try linter.endInput()
    #expect(linter.outputLine() == nil && linter.errorLine() == nil)
    #expect(linter.exitStatus() == 0)
  }

  @Test func `alert rules are about what there is`() throws {
    let path = Programs.repository + "/examples/prometheus/alerts.yml"
    let rules = try String(contentsOfFile: path, encoding: .utf8)
    let known = Set(try Watched().gateway.metrics().keys.map { String($0.prefix { $0 != "{" }) })
    let named = Set(rules.matches(of: /(?:lastword|process)_\w+/).map { String($0.0) })
    #expect(named.count > 10)
    // In words, a histogram stands for all of its samples.
    for name in named { #expect(known.contains(name) || known.contains(name + "_bucket"), "\(name)") }
  }

  @Test func `an upstream that only clients have is not missed without them`() throws {
    let gateway = try RunningGateway(upstream: "exec:cat", ["--per-connection"], reachesUpstream: false)
    let samples = try gateway.metrics()
    #expect(samples[#"lastword_upstream_endpoints{upstream="main"}"#] == 0)
    #expect(samples[#"lastword_upstream_endpoints_connected{upstream="main"}"#] == 0)
    #expect(try gateway.get("/readyz").status == 200)
  }

  @Test func `the playground is bounded, and heads tell no content`() throws {
    let gateway = try RunningGateway()
    let nobody = try gateway.post("/playground/send?pane=wait&from=zoe")
    #expect(nobody.status == 400 && nobody.body.hasPrefix("from must be one of ann, ben"))
    #expect(try gateway.post("/playground/send?pane=wait&ms=0&from=ben").status == 200)
    let unknown = try gateway.post("/playground/send?pane=none")
    #expect(unknown.status == 400 && unknown.body.contains("keepLatest, onAnswer, maxRunning, follow"))
    for work in ["-1", "10001", "x", "99999999999999999999"] {
      #expect(try gateway.post("/playground/send?pane=wait&ms=\(work)").status == 400)
    }
    for path in ["/metrics", "/keys", "/events"] {
      let head = try AdminAnswer(to: "HEAD", path, from: gateway.adminAddress)
      #expect(head.status == 200 && head.body.isEmpty, "\(path)")
      // A stream's length is not known.
      #expect((head.fields["content-length"] == nil) == (path == "/events"), "\(path)")
    }
    // More than there is room for, and each takes long.
    let statuses = try (0..<65).map { _ in
      try gateway.post("/playground/send?pane=concurrent&ms=10000").status
    }
    #expect(statuses == Array(repeating: 200, count: 64) + [429])
    #expect(try gateway.post("/playground/reset").status == 200)
    #expect(try gateway.metrics()["lastword_requests_admitted_total"] == 0)
  }

  @Test func `there are so many streams`() throws {
    let gateway = try RunningGateway(environment: ["LASTWORD_ADMIN_STREAMS": "2"])
    let streams = try (0..<2).map { _ in try LiveEvents(of: gateway) }
    for stream in streams { #expect(try stream.next()?.name == "hello") }
    let refused = try gateway.get("/events")
    #expect(refused.status == 503 && refused.fields["retry-after"] != nil)
    #expect(try gateway.metrics()["lastword_live_pages"] == 2)
  }

  @Test func `one who never reads costs no more than a stream may keep, and nobody else notices`() throws {
    let gateway = try RunningGateway(environment: ["LASTWORD_ADMIN_STREAM_BYTES": "65536"])
    let deaf = try LiveEvents(of: gateway, reads: false)
    let client = try gateway.connect()
    var id = 0
    func work() throws {
      let key = String(repeating: "k", count: 200)
      for _ in 0..<1_000 {
        id += 1
        try client.send(request(id, "echo", key: key, policy: "concurrent"))
      }
      for _ in 0..<1_000 { _ = try client.expect() }
    }
    let dropped = "lastword_live_frames_dropped_total"
    _ = try eventually("frames are dropped") {
      try work()
      return try gateway.metrics()[dropped].flatMap { $0 > 0 ? $0 : nil }
    }
    let before = try #require(try gateway.metrics()["process_resident_memory_bytes"])
    for _ in 0..<10 { try work() }
    let after = try #require(try gateway.metrics()["process_resident_memory_bytes"])
    #expect(after - before < 16 * 1_048_576)
    #expect(try client.isInStep())
    #expect(gateway.stop() == 0)
    withExtendedLifetime(deaf) {}
  }
}
