import JSONRPC

/// Decides, byte by byte and however they are cut, what requests a peer's bytes are, or why they are none.
///
/// Lines are as RFC 9112 spells them: with CR and LF, and without folding. A fault is the end: what would follow cannot
/// be known.
package struct HTTPRequestReader {
  package static let headLimitBytes = 8 * 1024
  package static let targetLimitBytes = 2 * 1024
  /// METHOD, TARGET and VERSION with what is between them.
  private static let firstLineLimitBytes =
    HTTPRequestDraft.methodLimitBytes + 1 + targetLimitBytes + 1 + "HTTP/1.1".utf8.count

  package enum Progress: Hashable {
    /// All bytes are read.
    case more
    case request(HTTPRequest)
    case fault(HTTPFault)
  }

  private var line: [UInt8] = []
  private var isAfterCR = false
  private var isInMethod = true
  private var hasSkippedLine = false
  private var headByteCount = 0
  private var draft: HTTPRequestDraft?
  private var fault: HTTPFault?

  package init() {}

  /// Whether a part of a request has come.
  package var hasBegun: Bool { headByteCount > 0 }

  /// Reads on to the end of a request or of the first `count` bytes.
  package mutating func next(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> Progress {
    if let fault { return .fault(fault) }
    while offset < count {
      let byte = bytes[offset]
      offset += 1
      do throws(HTTPFault) {
        guard let request = try take(byte) else { continue }
        self = HTTPRequestReader()
        return .request(request)
      } catch {
        fault = error
        return .fault(error)
      }
    }
    return .more
  }

  private mutating func take(_ byte: UInt8) throws(HTTPFault) -> HTTPRequest? {
    headByteCount += 1
    guard headByteCount <= Self.headLimitBytes else {
      throw HTTPFault(.headTooLarge, "the request's head has more than \(Self.headLimitBytes) bytes")
    }
    if isAfterCR {
      guard byte == 0x0a else { throw .malformed("a line must end with CR and LF") }
      isAfterCR = false
      return try endLine()
    }
    if byte == 0x0d {
      isAfterCR = true
    } else {
      try takeInLine(byte)
    }
    return nil
  }

  private mutating func takeInLine(_ byte: UInt8) throws(HTTPFault) {
    guard HTTPText.isInLine(byte) else { throw .malformed("a control character, or an LF without CR") }
    line.append(byte)
    if draft == nil { try checkFirstLine(byte) }
  }

  /// What is no HTTP is known as such at once: its sender may wait for an answer before it sends an end of line.
  private mutating func checkFirstLine(_ byte: UInt8) throws(HTTPFault) {
    if isInMethod {
      isInMethod = byte != 0x20
      let isMethod =
        line.count <= HTTPRequestDraft.methodLimitBytes + 1
        && (isInMethod ? byte.isTokenCharacter : line.count > 1)
      guard isMethod else { throw .malformed("this is no HTTP: it must begin with a method") }
    }
    guard line.count <= Self.firstLineLimitBytes else {
      throw HTTPFault(.targetTooLong, "the target has more than \(Self.targetLimitBytes) bytes")
    }
  }

  private mutating func endLine() throws(HTTPFault) -> HTTPRequest? {
    defer { line.removeAll(keepingCapacity: true) }
    guard draft != nil else {
      try beginDraft()
      return nil
    }
    if line.isEmpty { return try draft?.request() }
    try draft?.add(field: line)
    return nil
  }

  /// One empty line may come first: some send one behind a body.
  private mutating func beginDraft() throws(HTTPFault) {
    if line.isEmpty && !hasSkippedLine {
      hasSkippedLine = true
      headByteCount = 0
    } else {
      draft = try HTTPRequestDraft(firstLine: line)
    }
  }
}
