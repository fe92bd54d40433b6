/// Reads the events of a stream, however its bytes are cut.
package struct ServerSentEventReader {
  package enum Progress: Equatable {
    /// All bytes are read.
    case more
    case event(ServerSentEvent)
    /// An event has more bytes than it may. What follows is not read, or, if long events are cut, this one has ended, and
    /// `beginning` has what is left of it.
    case tooLong
  }

  /// How much is kept of the data of an event that is cut.
  private static let beginningBytes = 4_096
  /// How much is kept of a line that is cut: that much data, what names it, and a byte order mark.
  private static let cutLineBytes = beginningBytes + 16

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private let eventLimitBytes: Int
  private let cutsLongEvents: Bool
  private var line: [UInt8] = []
  private var isAfterCR = false
  private var isFirstLine = true
  private var isTooLong = false
  /// Whether the event is too long: no more than the beginning of its data is kept.
  private var isCut = false
  /// Whether the line is too long by itself: no more than its beginning is kept.
  private var isLineCut = false
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
  /// The beginning of the data of the last event that was cut.
  package private(set) var beginning: [UInt8] = []

  /// - Parameter cutsLongEvents: whether events behind one that is too long are read.
  package init(eventLimitBytes: Int = 4 * 1024 * 1024, cutsLongEvents: Bool = false) {
    self.eventLimitBytes = eventLimitBytes
    self.cutsLongEvents = cutsLongEvents
  }

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
      if !isLineCut, end - offset > eventLimitBytes - byteCount - line.count {
        exceed(with: bytes.extracting(offset..<end))
      }
      if isTooLong { break }
      // A line that is cut is read on, too, so that as much is kept of it however it comes.
      let room = isLineCut ? Self.cutLineBytes - line.count : end - offset
      take(bytes.extracting(offset..<min(end, offset + room)))
      offset = end
      if end == count { break }
      isAfterCR = bytes[end] == 0x0d
      offset += 1
      if let progress = endLine() { return progress }
    }
    return isTooLong ? .tooLong : .more
  }

  /// The event gets too long.
  /// - Parameter part: the next bytes of its line.
  private mutating func exceed(with part: Span<UInt8>) {
    guard cutsLongEvents else {
      isTooLong = true
      return
    }
    let first = line.first ?? (part.isEmpty ? nil : part[0])
    if part.count > eventLimitBytes - line.count {
      isLineCut = true
      line = Array(line.prefix(Self.cutLineBytes))
    }
    // A comment is no part of the event.
    guard first != UInt8(ascii: ":") else { return }
    isCut = true
    data = Array(data.prefix(Self.beginningBytes))
    byteCount = 0
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

  /// - Returns: what has ended with the line; nil: nothing has.
  private mutating func endLine() -> Progress? {
    defer {
      line.removeAll(keepingCapacity: true)
      isLineCut = false
    }
    if isFirstLine && line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
    isFirstLine = false
    if line.isEmpty { return endEvent() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == 0x20 { value.removeFirst() }
    let name = HTTPText.string(line[..<colon])
    // Half an id is none.
    if !isLineCut || name == "data" { take(name, value) }
    return nil
  }

  /// What begins with a colon is a comment: its name is empty. Only what says something of the event counts for it.
  private mutating func take(_ name: String, _ value: ArraySlice<UInt8>) {
    switch name {
    case "event": type = HTTPText.string(value)
    case "data" where isCut && data.count >= Self.beginningBytes: return
    case "data":
      if hasData { data.append(0x0a) }
      data.append(contentsOf: isCut ? value.prefix(Self.beginningBytes) : value)
      hasData = true
    case "id" where !value.contains(0): id = HTTPText.string(value)
    case "retry" where !value.isEmpty && value.allSatisfy(HTTPText.isDigit):
      retryMilliseconds = UInt64(HTTPText.string(value)) ?? retryMilliseconds
      return
    default: return
    }
    if !isCut { byteCount += line.count }
  }

  /// Without data it is none.
  private mutating func endEvent() -> Progress? {
    defer { (type, data, hasData, id, byteCount, isCut) = ("", [], false, nil, 0, false) }
    lastEventID = id ?? lastEventID
    guard hasData else { return nil }
    if isCut {
      beginning = Array(data.prefix(Self.beginningBytes))
      return .tooLong
    }
    return .event(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id))
  }
}
