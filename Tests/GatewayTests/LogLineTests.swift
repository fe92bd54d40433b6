import Foundation
import Logging
import Testing

@testable import Gateway

/// What a line of the log looks like.
@Suite struct LogLineTests {
  /// What a peer may say, as text and as JSON tell it.
  static let nasty: [(said: String, text: String, json: String)] = [
    ("a\r\nb", #"a\u{d}\u{a}b"#, #"a\u000d\u000ab"#),
    ("\u{1b}[31mred\u{7f}\u{0}", #"\u{1b}[31mred\u{7f}\u{0}"#, #"\u001b[31mred\u007f\u0000"#),
    ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{85}"#, #"\u2028\u2029\u0085"#),
    ("\u{202e}\u{feff}\u{e0041}", #"\u{202e}\u{feff}\u{e0041}"#, #"\u202e\ufeff\udb40\udc41"#),
    ("é🙂e\u{301}", "é🙂e\u{301}", "é🙂e\u{301}"),
    (String(decoding: [0x61, 0xff, 0xed, 0xa0, 0x80, 0x62], as: UTF8.self), "a����b", "a����b"),
  ]

  @Test(arguments: nasty)
  func `what a peer says stays in one line that controls nothing`(
    said: String, text: String, json: String
  ) throws {
    let (plain, object) = (LogPipe(), LogPipe(form: .json))
    for log in [plain.log, object.log] { log.info("\(said)", metadata: ["value": "\(said)"]) }
    #expect(plain.texts() == ["INF \(text) value=\(text)"])
    let line = try #require(object.lines().first)
    #expect(line.contains(#""message":"\#(json)","#) && line.hasSuffix(#","value":"\#(json)"}"#), "\(line)")
    object.log.info("\(said)", metadata: ["value": "\(said)"])
    #expect(try object.objects() == [["level": "info", "message": said, "value": said]])
  }

  @Test(arguments: [
    ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("a=b", #""a=b""#),
    (#"say "x\y""#, #""say \"x\\y\"""#), (#"back\slash"#, #"back\slash"#),
  ])
  func `a value cannot be taken for several`(value: String, shown: String) {
    let pipe = LogPipe()
    pipe.log.warning("m", metadata: ["b": "\(value)", "a": "1"])
    #expect(pipe.texts() == ["WRN m a=1 b=\(shown)"])
  }

  @Test func `numbers are numbers, and nothing takes the place of the line's own members`() throws {
    let pipe = LogPipe(form: .json)
    pipe.log.error(
      "m", metadata: ["n": .stringConvertible(7), "level": "mine", "time": "now", "list": ["a", "b"]])
    let members = #","metadata.level":"mine","list":"[\"a\", \"b\"]","n":7,"metadata.time":"now"}"#
    let line = try #require(pipe.lines().first)
    #expect(line.hasSuffix(#""pid":\#(getpid())"# + members), "\(line)")
  }

  @Test func `it says when, in UTC, and which process`() throws {
    let pipe = LogPipe(form: .json)
    let before = Date()
    pipe.log.info("m")
    let line = try #require(pipe.lines().first)
    let parts = try #require(
      line.firstMatch(of: /^\{"time":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)",.*"pid":(\d+)\}$/))
    #expect(Int32(parts.2) == getpid())
    let reader = ISO8601DateFormatter()
    reader.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let time = try #require(reader.date(from: String(parts.1)))
    #expect(abs(time.timeIntervalSince(before)) < 60)
  }

  // MARK: Too long

  @Test(arguments: [3_900, 4_000, 4_090, 4_096, 5_000, 100_000])
  func `a long line is cut and says so`(count: Int) throws {
    let pipe = LogPipe()
    pipe.log.info("m", metadata: ["long": "\(String(repeating: "é", count: count / 2))"])
    let bytes = pipe.bytes()
    #expect(bytes.count <= LogSink.lineLimitBytes && bytes.firstIndex(of: 0x0a) == bytes.count - 1)
    let text = try #require(String(validating: bytes, as: UTF8.self))
    let isWhole = text.hasSuffix("é\n")
    #expect(isWhole == (count <= 4_000))
    guard !isWhole else { return }
    let missing = try #require(text.firstMatch(of: /… (\d+) bytes cut\n$/)).1
    let shown = text.utf8.count(where: { $0 == 0xc3 }) * 2
    // What is shown and what is not is all of it.
    #expect(shown + Int(missing)! == count / 2 * 2)
  }

  @Test(arguments: ["x", "\u{1b}", "\"", "🙂"], [2_000, 4_100, 30_000])
  func `a long value is cut, and the object is whole and says so`(text: String, count: Int) throws {
    let pipe = LogPipe(form: .json)
    let long = String(repeating: text, count: count)
    pipe.log.info("m", metadata: ["long": "\(long)", "short": "s"])
    let bytes = pipe.bytes()
    #expect(bytes.count <= LogSink.lineLimitBytes)
    let value = try JSONSerialization.jsonObject(with: Data(bytes))
    let object = try #require(value as? [String: AnyHashable])
    let isWhole = (object["long"] as? String) == long
    #expect((object["cut"] as? Bool) == (isWhole ? nil : true))
    #expect(object["short"] as? String == "s" && object["message"] as? String == "m")
    let shown = try #require(object["long"] as? String)
    // The longest that fits is at most twice as long.
    #expect(!shown.isEmpty && long.hasPrefix(shown) && (isWhole || bytes.count > 1_000))
  }
}
