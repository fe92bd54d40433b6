import Testing

@testable import Gateway

/// The response to a POST, as it is told in pieces.
@Suite struct HTTPReplyTests {
  private static let lines =
    #"{"jsonrpc":"2.0","method":"p"}"# + "\n" + #"{"jsonrpc":"2.0","id":1,"result":2}"# + "\n"
  private static let events =
    #"data: {"jsonrpc":"2.0","method":"p"}"# + "\n\n" + #"data: {"jsonrpc":"2.0","id":1,"result":2}"# + "\n\n"

  /// What pieces become.
  private func told(_ pieces: [[UInt8]], _ reply: HTTPReply) -> String {
    var (reply, output) = (reply, [UInt8]())
    for piece in pieces { reply.append(piece, to: &output) }
    return String(decoding: output, as: UTF8.self)
  }

  private func cut(_ text: String, at places: [Int]) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    return zip([0] + places, places + [bytes.count]).map { Array(bytes[$0..<$1]) }
  }

  private func reply(_ form: HTTPReply.Form, isEventStream: Bool) -> HTTPReply {
    var reply = HTTPReply()
    (reply.form, reply.isEventStream) = (form, isEventStream)
    return reply
  }

  @Test func `a line is one event, wherever it is cut`() {
    let reply = reply(.untilEnd, isEventStream: true)
    let count = Self.lines.utf8.count
    for first in 0...count {
      #expect(told(cut(Self.lines, at: [first]), reply) == Self.events, "cut at \(first)")
      for second in stride(from: first, through: count, by: 5) {
        #expect(
          told(cut(Self.lines, at: [first, second]), reply) == Self.events, "cut at \(first) and \(second)")
      }
    }
    #expect(told(Self.lines.utf8.map { [$0] }, reply) == Self.events)
  }

  @Test func `chunks hold whole pieces, and none is empty`() {
    let reply = reply(.chunked, isEventStream: false)
    #expect(
      told([Array("abc".utf8), [], Array(repeating: 0x78, count: 16)], reply) == "3\r\nabc\r\n10\r\n"
        + String(repeating: "x", count: 16) + "\r\n")
  }

  @Test func `events may come in chunks`() {
    let reply = reply(.chunked, isEventStream: true)
    #expect(
      told([Array("a\nb".utf8), Array("\n".utf8)], reply) == "10\r\ndata: a\n\ndata: b\r\n2\r\n\n\n\r\n")
  }

  @Test func `a comment is an event that nobody hears`() {
    for (form, expected) in [(HTTPReply.Form.chunked, "3\r\n:\n\n\r\n"), (.untilEnd, ":\n\n")] {
      var output: [UInt8] = []
      reply(form, isEventStream: true).appendComment(to: &output)
      #expect(String(decoding: output, as: UTF8.self) == expected)
    }
  }

  @Test func `what is sent until the end is as it came`() {
    #expect(told([Array("a\n".utf8), Array("b\n".utf8)], reply(.untilEnd, isEventStream: false)) == "a\nb\n")
  }

  @Test func `a whole line has its length said, whatever is behind it, and events have not`() {
    func length(_ texts: [String], isEventStream: Bool = false) -> Int? {
      let reply = reply(.unbegun, isEventStream: isEventStream)
      let all = Array(texts.joined().utf8)
      return all.withUnsafeBytes { bytes in
        var (chunks, place) = ([UnsafeRawBufferPointer](), 0)
        for text in texts {
          chunks.append(UnsafeRawBufferPointer(rebasing: bytes[place..<(place + text.utf8.count)]))
          place += text.utf8.count
        }
        return chunks.withUnsafeBufferPointer { reply.wholeByteCount($0) }
      }
    }
    #expect(length(["{}\n"]) == 3)
    #expect(length(["{", "}\n"]) == 3)
    #expect(length(["{", "}\n{}\n"]) == 3)
    #expect(length(["{}\n", "{"]) == 3)
    #expect(length(["{}\n"], isEventStream: true) == nil)
    #expect(length(["{"]) == nil)
    #expect(length([]) == nil)
    #expect(length([""]) == nil)
  }

  @Test func `a piece ends with its line, and the reply with that, unless it is an event stream`() {
    for isEventStream in [true, false] {
      var (reply, output) = (reply(.chunked, isEventStream: isEventStream), [UInt8]())
      for (text, expected, isOver) in [("ab", "ab", false), ("c\nd\n", "c\n", true)] {
        let piece = Array(text.utf8).withUnsafeBytes { Array(reply.piece(of: $0)) }
        #expect(String(decoding: piece, as: UTF8.self) == (isEventStream ? text : expected))
        reply.append(piece, to: &output)
        #expect(reply.isOver == (isOver && !isEventStream))
      }
    }
  }

  @Test(arguments: [true, false])
  func `it is whole where its last line has ended`(isEventStream: Bool) {
    var (reply, output) = (reply(.chunked, isEventStream: isEventStream), [UInt8]())
    #expect(!reply.isInLine)
    for (piece, isInLine) in [
      ("a", true), ("", true), ("b\n", false), ("", false), ("c\nd", true), ("\n", false),
    ] {
      reply.append(Array(piece.utf8), to: &output)
      #expect(reply.isInLine == isInLine, "\(piece)")
    }
  }

  @Test func `it has begun once it has a form`() {
    #expect(!HTTPReply().hasBegun)
    for form in [HTTPReply.Form.sized(leftBytes: 0), .chunked, .untilEnd] {
      #expect(reply(form, isEventStream: false).hasBegun)
    }
  }
}
