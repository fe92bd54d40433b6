/// Decides what messages a peer's bytes are, or why they are none, however the bytes are cut (RFC 6455 section 5).
///
/// Only texts are taken, and no extensions. Between two frames it holds no memory but its own 48 bytes.
package struct WebSocketReader: Sendable {
  private enum Place: Sendable {
    case frame
    /// Behind a Close.
    case end
    case fault(WebSocketFault)
  }

  private var limit: UInt64
  private var messageByteCount: UInt64 = 0
  /// The bytes of a control frame that is not whole; nearly always empty.
  private var control: [UInt8] = []
  private var frame = WebSocketFrame()
  private var utf8 = UTF8Check()
  /// A message was begun that has not ended.
  package private(set) var isInMessage = false
  private let end: WebSocketEnd
  private var place = Place.frame

  /// - Parameters:
  ///   - end: the one that reads: a server takes only masked frames, a client only others.
  ///   - limitBytes: how large a message may be; 0 or more.
  package init(_ end: WebSocketEnd, limitBytes: Int) {
    self.end = end
    limit = UInt64(limitBytes)
  }

  /// How large a message may be; 0 or more. Another one counts for the frames that begin from then on.
  package var limitBytes: Int {
    get { Int(limit) }
    set { limit = UInt64(newValue) }
  }

  /// Reads on to the next thing that can be said, or to the end of the first `count` bytes.
  ///
  /// - Parameter text: where pieces of messages are appended. With a fault nothing is: the message that had begun is
  ///   none.
  package mutating func next(
    in bytes: Span<UInt8>, count: Int, from offset: inout Int, into text: inout [UInt8]
  ) -> WebSocketProgress {
    do throws(WebSocketFault) {
      switch place {
      case .frame: return offset < count ? try nextOfFrames(in: bytes, count, &offset, &text) : .more
      case .end:
        offset = count
        return .more
      case .fault(let fault): return .fault(fault)
      }
    } catch {
      control = []
      place = .fault(error)
      return .fault(error)
    }
  }

  private mutating func nextOfFrames(
    in bytes: Span<UInt8>, _ count: Int, _ offset: inout Int, _ text: inout [UInt8]
  ) throws(WebSocketFault) -> WebSocketProgress {
    while true {
      let room = limit &- min(limit, messageByteCount)
      offset &+= frame.takeFast(
        in: bytes, count, from: offset, end, isInMessage: isInMessage, roomBytes: room)
      while !frame.hasHead {
        guard offset < count else { return .more }
        try frame.take(bytes[offset], end, isInMessage: isInMessage, roomBytes: room)
        offset &+= 1
      }
      guard offset < count || frame.leftBytes == 0 else { return .more }
      let length = Int(truncatingIfNeeded: min(frame.leftBytes, UInt64(count &- offset)))
      let range = offset..<offset &+ length
      offset = range.upperBound
      frame.leftBytes &-= UInt64(length)
      if frame.opcode.isControl {
        frame.mask.append(range, of: bytes, to: &control)
        if frame.leftBytes == 0 { return try endControl() }
      } else if let isEnd = try takeText(range, of: bytes, &text) {
        return .text(isEnd: isEnd)
      }
    }
  }

  // MARK: Texts

  /// Returns whether the message ends with these bytes; nil: it does not, and there are none.
  private mutating func takeText(
    _ range: Range<Int>, of bytes: Span<UInt8>, _ text: inout [UInt8]
  ) throws(WebSocketFault) -> Bool? {
    let start = text.count
    let isASCII = frame.mask.append(range, of: bytes, to: &text)
    let isFrameEnd = frame.leftBytes == 0
    let isEnd = isFrameEnd && frame.isLast
    if !isASCII || !utf8.isBetweenScalars {
      guard utf8.take(text.span.extracting(start...)), !isEnd || utf8.isBetweenScalars else {
        text.removeSubrange(start...)
        throw .notText
      }
    }
    if isFrameEnd { frame = WebSocketFrame() }
    isInMessage = !isEnd
    messageByteCount = isEnd ? 0 : messageByteCount &+ UInt64(range.count)
    return isEnd || !range.isEmpty ? isEnd : nil
  }

  // MARK: Control frames

  private mutating func endControl() throws(WebSocketFault) -> WebSocketProgress {
    let opcode = frame.opcode
    let content = control
    control = []
    frame = WebSocketFrame()
    if opcode == .ping { return .ping(content) }
    if opcode == .pong { return .pong(content) }
    place = .end
    return try Self.close(content)
  }

  /// RFC 6455 section 5.5.1.
  private static func close(_ content: [UInt8]) throws(WebSocketFault) -> WebSocketProgress {
    guard let high = content.first else { return .close(nil, reason: "") }
    guard content.count >= 2 else { throw .closeOfOneByte }
    guard let code = WebSocketCloseCode(UInt16(high) << 8 | UInt16(content[1])) else { throw .closeCode }
    guard let reason = String(validating: content[2...], as: UTF8.self) else { throw .closeReason }
    return .close(code, reason: reason)
  }
}
