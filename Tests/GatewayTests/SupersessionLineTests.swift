import GatewayCore
import Logging
import TaskStore
import Testing

@testable import Gateway

/// The line that explains why a request was superseded.
@Suite struct SupersessionLineTests {
  private func line(method: [UInt8], key: String = "k") -> SupersessionLine {
    SupersessionLine(
      key: KeyHash(Array(key.utf8).span), generation: 12, supersededBy: 15, policy: .cancel, .cancelSent,
      ageMilliseconds: 240, method: method, client: 3)
  }

  @Test func `it explains itself`() {
    let pipe = LogPipe(level: .debug)
    let line = line(method: Array("search".utf8))
    SupersessionLine.log(line, to: pipe.log)
    let hash = KeyHash(Array("k".utf8).span)
    #expect(
      pipe.texts() == [
        "DBG superseded afterMs=240 by=15 client=3 generation=12 key=\(hash) method=search "
          + "phase=running policy=cancel upstream=cancelSent"
      ])
  }

  @Test func `as JSON its numbers are numbers`() throws {
    let pipe = LogPipe(level: .trace, form: .json)
    SupersessionLine.log(line(method: Array("search".utf8)), to: pipe.log)
    let hash = KeyHash(Array("k".utf8).span)
    let members =
      #","afterMs":240,"by":15,"client":3,"generation":12,"key":"\#(hash)","method":"search","#
      + #""phase":"running","policy":"cancel","upstream":"cancelSent"}"#
    #expect(try #require(pipe.lines().first).hasSuffix(members))
  }

  @Test func `above debug it is not even made`() {
    let pipe = LogPipe(level: .info)
    var made = 0
    func counted() -> SupersessionLine {
      made += 1
      return line(method: [])
    }
    SupersessionLine.log(counted(), to: pipe.log)
    #expect(made == 0 && pipe.lines().isEmpty)
    pipe.sink.level = .debug
    SupersessionLine.log(counted(), to: pipe.log)
    #expect(made == 1 && pipe.lines().count == 1)
  }

  @Test func `a method that would control the line is escaped`() {
    let pipe = LogPipe(level: .debug)
    let method = Array("a\r\n[1] x [INF] y\u{1b}[2J phase=queued\u{2028}".utf8) + [0xff]
    SupersessionLine.log(line(method: method), to: pipe.log)
    let lines = pipe.lines()
    #expect(lines.count == 1)
    let shown = #" method="a\u{d}\u{a}[1] x [INF] y\u{1b}[2J phase=queued\u{2028}�" phase=running "#
    #expect(lines[0].contains(shown), "\(lines)")
  }

  @Test(arguments: [
    (63, "x", 63), (64, "x", 64), (65, "x", 64), (100_000, "x", 64), (32, "é", 64), (33, "é", 64),
    (16, "🙂", 64), (17, "🙂", 64), (22, "€", 63),
  ])
  func `of a long method the beginning is shown`(count: Int, text: String, shownBytes: Int) {
    let method = String(repeating: text, count: count)
    let shown = line(method: Array(method.utf8)).method
    let isCut = method.utf8.count > SupersessionLine.methodLimitBytes
    #expect(shown.hasSuffix("…") == isCut)
    let beginning = isCut ? String(shown.dropLast()) : shown
    #expect(method.hasPrefix(beginning) && beginning.utf8.count == shownBytes)
  }

  @Test func `a key is told from others, and not what it is`() {
    let hashes = (0..<1_000).map { KeyHash(Array("key \($0)".utf8).span) }
    #expect(Set(hashes).count == 1_000)
    #expect(hashes[7] == KeyHash(Array("key 7".utf8).span))
    #expect(hashes[7] != KeyHash(Array("key 7".utf8).span, namespace: 1))
    #expect(hashes.allSatisfy { $0.description.wholeMatch(of: /#[0-9a-f]{8}/) != nil })
    #expect(KeyHash([UInt8]().span).description.count == 9)
  }
}
