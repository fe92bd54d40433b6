import HTTP1
import JSONRPC

/// The response to one POST, while the core answers it: what has begun, and how its end is told.
struct HTTPReply {
  enum Form {
    /// Nothing has come.
    case unbegun
    /// Its length was said, and so much is still to come.
    case sized(leftBytes: Int)
    /// It came in pieces.
    case chunked
    /// The same for HTTP/1.0: it ends with the connection.
    case untilEnd
  }

  var form = Form.unbegun
  /// Each line of it becomes an event.
  var isEventStream = false
  /// It is one where that is accepted at all, unless there is nothing before the answer.
  var prefersEvents = false
  /// The methods that its request could have had.
  var allowed = HTTPConnection.allowed
  /// HTTP/1.0 knows no chunks.
  var isVersion0 = false
  /// The first line answers what the gateway asked itself: whose the token is.
  var hidesLine = false
  var hiddenLine: [UInt8] = []
  /// It was refused by that line; nothing behind it counts.
  var isRefused = false
  /// A line of it has begun that has not ended: it is not whole.
  private(set) var isInLine = false

  var hasBegun: Bool { if case .unbegun = form { false } else { true } }
  var isSized: Bool { if case .sized = form { true } else { false } }

  /// Its one line is whole, unless it is an event stream: what the core says behind that is no part of it.
  private(set) var isOver = false

  /// The length of a reply that can be told with it, as its one line is there as a whole; nil: what comes now goes out
  /// as it comes.
  func wholeByteCount(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int? {
    if isEventStream {
      guard prefersEvents, unsafe Self.isAnswer(chunks) else { return nil }
    }
    var byteCount = 0
    for index in chunks.indices {
      if let end = unsafe LineFeeds.first(in: chunks[index]) { return byteCount + end + 1 }
      byteCount += unsafe chunks[index].count
    }
    return nil
  }

  /// The part of these bytes that goes out together: unless it is an event stream, no more than the rest of a line.
  func piece(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard !isEventStream, let end = unsafe LineFeeds.first(in: bytes) else { return unsafe bytes }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[...end])
  }

  /// Whether what comes begins with an answer, as the core writes it.
  private static func isAnswer(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Bool {
    guard let first = unsafe chunks.first, first.count >= answerStart.utf8CodeUnitCount else { return false }
    return (0..<answerStart.utf8CodeUnitCount).allSatisfy { unsafe first[$0] == answerStart.byte(at: $0) }
  }

  private static let answerStart: StaticString = "{\"jsonrpc\":\"2.0\",\"id\":"

  /// Appends a piece as its form has it; unless it is an event stream, nothing stands behind a line feed in it.
  mutating func append(_ bytes: [UInt8], to output: inout [UInt8]) {
    let piece = isEventStream ? events(bytes) : bytes
    if let last = bytes.last {
      isInLine = last != UInt8(ascii: "\n")
      isOver = !isEventStream && !isInLine
    }
    if case .chunked = form {
      HTTPWriter.chunk(piece, into: &output)
    } else {
      output.append(contentsOf: piece)
    }
  }

  /// Appends what a reader of events skips (HTML, section 9.2.6); only between two events.
  func appendComment(to output: inout [UInt8]) {
    let comment = Array(":\n\n".utf8)
    if case .chunked = form {
      HTTPWriter.chunk(comment, into: &output)
    } else {
      output.append(contentsOf: comment)
    }
  }

  private func events(_ bytes: [UInt8]) -> [UInt8] {
    var (events, isInLine): ([UInt8], Bool) = ([], isInLine)
    for byte in bytes {
      if !isInLine { events.append(contentsOf: "data: ".utf8) }
      isInLine = byte != UInt8(ascii: "\n")
      events.append(byte)
      if !isInLine { events.append(byte) }
    }
    return events
  }
}
