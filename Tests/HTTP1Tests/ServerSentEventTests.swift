import HTTP1
import Testing

/// Events as browsers read them.
@Suite struct ServerSentEventTests {
  private struct Reading: Equatable {
    var events: [String] = []
    var isTooLong = false
    var retryMilliseconds: UInt64?
  }

  /// Each event as its type, its data and its id, in one piece and byte by byte.
  private func read(_ text: String, limitBytes: Int = 32) -> Reading {
    let bytes = Array(text.utf8)
    let whole = reading([bytes], limitBytes)
    #expect(whole == reading(bytes.map { [$0] }, limitBytes), "it matters where it is cut")
    return whole
  }

  private func reading(_ pieces: [[UInt8]], _ limitBytes: Int) -> Reading {
    var reader = ServerSentEventReader(eventLimitBytes: limitBytes)
    var reading = Reading()
    for bytes in pieces {
      var offset = 0
      loop: while true {
        switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
        case .more: break loop
        case .event(let event):
          let data = String(decoding: event.data, as: UTF8.self)
          reading.events.append("\(event.type) \(data) \(event.id ?? "-")")
        case .tooLong:
          reading.isTooLong = true
          break loop
        }
      }
    }
    reading.retryMilliseconds = reader.retryMilliseconds
    return reading
  }

  @Test(arguments: [
    ("data: a\n\n", ["message a -"]), ("data:a\r\rdata:b\r\n\r\n", ["message a -", "message b -"]),
    ("event: x\ndata: a\ndata:  b\ndata\n\n", ["x a\n b\n -"]), ("id: 7\ndata: a\n\n", ["message a 7"]),
    (": c\nevent: x\n\ndata: a\n\n", ["message a -"]), ("\u{feff}data: a\n\n", ["message a -"]),
    ("data: \u{feff}\n\n", ["message \u{feff} -"]), ("id: a\0b\ndata: a\n\n", ["message a -"]),
    ("Data: a\n\n", []), ("data: a\n", []), ("data: a", []), ("other: b\ndata: a\n\n", ["message a -"]),
  ])
  func `lines make events`(text: String, events: [String]) {
    #expect(read(text).events == events)
  }

  @Test func `the server says when to come back`() {
    #expect(read("retry: 1500\n\n").retryMilliseconds == 1500)
    #expect(read("retry: 1500\nretry: x\nretry:\nretry: 99999999999999999999\n").retryMilliseconds == 1500)
  }

  @Test func `an event of as many bytes as are allowed is read, and no more`() {
    let data = String(repeating: "x", count: 26)
    let fits = "data: \(data)\n\n"
    #expect(read(fits + fits).events.count == 2 && !read(fits + fits).isTooLong)
    #expect(read(fits + "data: \(data)x\n\n") == Reading(events: ["message \(data) -"], isTooLong: true))
  }

  @Test func `what says nothing counts for no event, however much of it there is`() {
    let silence = String(repeating: ": ping\r\nother: 1\nretry: 7\n", count: 100)
    let data = String(repeating: "x", count: 26)
    #expect(read(silence + "data: \(data)\n\n").events == ["message \(data) -"])
    #expect(read("data: a\n" + silence + "\n").events == ["message a -"])
    #expect(read(":" + data + "123456\n").isTooLong)
    #expect(read("id: 1\nid: 2\nid: 3\nid: 4\nid: 5\nid: 6\nid: 7\n").isTooLong)
  }

  /// Each event as its data and the last id, where long events are cut: behind "cut" the beginning of one. In one piece
  /// and byte by byte.
  private func readCut(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    let whole = readingCut([bytes])
    #expect(whole == readingCut(bytes.map { [$0] }), "it matters where it is cut")
    return whole
  }

  private func readingCut(_ pieces: [[UInt8]]) -> [String] {
    var reader = ServerSentEventReader(eventLimitBytes: 32, cutsLongEvents: true)
    var read: [String] = []
    for bytes in pieces {
      var offset = 0
      loop: while true {
        let progress = reader.next(in: bytes.span, count: bytes.count, from: &offset)
        let id = reader.lastEventID ?? "-"
        switch progress {
        case .more: break loop
        case .event(let event): read.append("\(String(decoding: event.data, as: UTF8.self)) \(id)")
        case .tooLong: read.append("cut \(String(decoding: reader.beginning, as: UTF8.self)) \(id)")
        }
      }
    }
    return read
  }

  @Test func `what follows an event that is too long is read, if that is cut`() {
    let long = String(repeating: "x", count: 40)
    let half = String(repeating: "x", count: 20)
    #expect(
      readCut("id: 1\ndata: a\n\nid: 2\ndata: \(long)\n\nid: 3\ndata: b\n\n") == [
        "a 1", "cut \(long) 2", "b 3",
      ])
    #expect(readCut("data: \(long)\r\nid: 2\r\n\r\ndata: b\r\n\r\n") == ["cut \(long) 2", "b 2"])
    #expect(readCut("data: \(half)\ndata: \(half)\n\ndata: b\n\n") == ["cut \(half)\n\(half) -", "b -"])
    let longer = String(repeating: "x", count: 10_000)
    #expect(readCut("data: \(longer)\n\ndata: b\n\n") == ["cut \(longer.prefix(4096)) -", "b -"])
  }

  @Test func `half an id is none, and a long comment is no part of an event`() {
    let long = String(repeating: "x", count: 40)
    #expect(readCut("id: \(long)\ndata: a\n\ndata: b\n\n") == ["cut a -", "b -"])
    #expect(readCut(":\(long)\n\n:\(long)\ndata: a\n\n") == ["a -"])
  }

  @Test func `what is written is read as the same`() {
    var bytes: [UInt8] = []
    ServerSentEvent.write(type: "a\nb", data: "c\r\nd\n".utf8, into: &bytes)
    #expect(read(String(decoding: bytes, as: UTF8.self), limitBytes: 64).events == ["ab c\n\nd\n -"])
  }
}
