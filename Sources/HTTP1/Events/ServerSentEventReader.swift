/// Reads the events of a stream, however its bytes are cut.
package struct ServerSentEventReader {
  package enum Progress: Equatable {
    /// All bytes are read.
    case more
    case event(ServerSentEvent)
    /// An event has more bytes than it may; what follows is not read.
    case tooLong
  }

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private let eventLimitBytes: Int
  private var line: [UInt8] = []
  private var isAfterCR = false
  private var isFirstLine = true
  private var isTooLong = false
  private var type = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var id: String?
  /// Of the lines of the event that have ended.
  private var byteCount = 0
  /// After how long the server wants to be asked again, in milliseconds, where it has said so.
  package private(set) var retryMilliseconds: UInt64?
  /// What the server wants to be asked behind; it counts without data, too.
  package private(set) var lastEventID: String?

  package init(eventLimitBytes: Int = 4 * 1024 * 1024) { self.eventLimitBytes = eventLimitBytes }

  /// Reads on to the end of an event or of the first `count` bytes.
  package mutating func next(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> Progress {
    while !isTooLong && offset < count {
      if isAfterCR {
        isAfterCR = false
        if bytes[offset] == 0x0a {
          offset += 1
          continue
        }
      }
      let end = Self.lineEnd(in: bytes, offset..<count)
      isTooLong = end - offset > eventLimitBytes - byteCount - line.count
      if isTooLong { break }
      take(bytes.extracting(offset..<end))
      offset = end
      if end == count { break }
      isAfterCR = bytes[end] == 0x0d
      offset += 1
      if let event = endLine() { return .event(event) }
    }
    return isTooLong ? .tooLong : .more
  }

  private static func lineEnd(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == 0x0a || byte == 0x0d { break }
      index += 1
    }
    return index
  }

  private mutating func take(_ part: Span<UInt8>) {
    // Valid during this call.
    unsafe part.withUnsafeBytes { unsafe line.append(contentsOf: $0) }
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine && line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
    isFirstLine = false
    if line.isEmpty { return endEvent() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == 0x20 { value.removeFirst() }
    take(HTTPText.string(line[..<colon]), value)
    return nil
  }

  /// What begins with a colon is a comment: its name is empty. Only what says something of the event counts for it.
  private mutating func take(_ name: String, _ value: ArraySlice<UInt8>) {
    switch name {
    case "event": type = HTTPText.string(value)
    case "data":
      if hasData { data.append(0x0a) }
      data.append(contentsOf: value)
      hasData = true
    case "id" where !value.contains(0): id = HTTPText.string(value)
    case "retry" where !value.isEmpty && value.allSatisfy(HTTPText.isDigit):
      retryMilliseconds = UInt64(HTTPText.string(value)) ?? retryMilliseconds
      return
    default: return
    }
    byteCount += line.count
  }

  /// Without data it is none.
  private mutating func endEvent() -> ServerSentEvent? {
    defer { (type, data, hasData, id, byteCount) = ("", [], false, nil, 0) }
    lastEventID = id ?? lastEventID
    return hasData ? ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id) : nil
  }
}
