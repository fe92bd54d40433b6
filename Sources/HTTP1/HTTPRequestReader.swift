/// Decides what requests a client's bytes are.
package struct HTTPRequestReader: HTTPMessageReader {
  package typealias Head = HTTPRequestHead

  package struct Limits: Sendable {
    /// The first line, the fields, and the empty line behind them; a trailer may have as much once more.
    package var headBytes = 8 * 1024
    package var targetBytes = 2 * 1024
    package var contentBytes = 0
    /// They come under TLS: a target that is a whole URL says so, too.
    package var isSecure = false

    package init() {}
  }

  private let methods: Set<String>
  private let limits: Limits
  private var place = HTTPPlace.head
  private var head: HTTPHeadReader
  private var line: HTTPRequestLine?
  private var isInMethod = true
  private var hasSkippedLine = false

  /// - Parameter methods: what is served; of others only the method is told.
  package init(methods: Set<String>, limits: Limits = Limits()) {
    self.methods = methods
    self.limits = limits
    head = HTTPHeadReader(limitBytes: limits.headBytes)
  }

  /// Whether a part of a request has come.
  package var hasBegun: Bool {
    if case .content = place { true } else { head.byteCount > 0 }
  }

  /// So much of a head has come whose end has not.
  package var headByteCount: Int { head.byteCount }

  package mutating func next(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> HTTPProgress<Head>
  {
    do throws(HTTPFault) {
      if let progress: HTTPProgress<Head> = try place.next(in: bytes, count: count, from: &offset) {
        return progress
      }
      return try nextOfHead(bytes, count, &offset)
    } catch {
      place = .fault(error)
      return .fault(error)
    }
  }

  /// What was of the head is forgotten.
  private mutating func beginRequest() { self = HTTPRequestReader(methods: methods, limits: limits) }

  private mutating func nextOfHead(
    _ bytes: Span<UInt8>, _ count: Int, _ offset: inout Int
  ) throws(HTTPFault) -> HTTPProgress<Head> {
    while offset < count {
      let byte = bytes[offset]
      offset += 1
      if let head = try take(byte) { return .head(head) }
    }
    return .more
  }

  private mutating func take(_ byte: UInt8) throws(HTTPFault) -> HTTPRequestHead? {
    switch try head.take(byte) {
    case nil:
      if byte != 0x0d, let soFar = head.startLine { try checkFirstLine(soFar, byte) }
      return nil
    case .startLine(let bytes):
      try endFirstLine(bytes)
      return nil
    case .fields(let fields):
      guard let line else { return nil }
      let head = try HTTPRequestHead(line, fields)
      let place = try HTTPPlace(
        behind: head, contentBytes: limits.contentBytes, trailerBytes: limits.headBytes)
      beginRequest()
      self.place = place
      return head
    }
  }

  /// Bytes that are no HTTP are refused at once: their sender may wait for an answer before it ends the line.
  private mutating func checkFirstLine(_ soFar: [UInt8], _ byte: UInt8) throws(HTTPFault) {
    if isInMethod {
      isInMethod = byte != 0x20
      let isMethod =
        soFar.count <= HTTPRequestLine.methodLimitBytes + 1
        && (isInMethod ? byte.isTokenCharacter : soFar.count > 1)
      guard isMethod else { throw .malformed("this is no HTTP: it must begin with a method") }
    }
    let longest =
      HTTPRequestLine.methodLimitBytes + 1 + limits.targetBytes + 1 + "HTTP/1.1".utf8.count
    guard soFar.count <= longest else {
      throw HTTPFault(.targetTooLong, "the target has more than \(limits.targetBytes) bytes")
    }
  }

  /// One empty line may come first: some send one behind a body.
  private mutating func endFirstLine(_ bytes: [UInt8]) throws(HTTPFault) {
    if bytes.isEmpty && !hasSkippedLine {
      beginRequest()
      hasSkippedLine = true
    } else {
      line = try HTTPRequestLine(bytes, methods: methods, limits)
    }
  }
}
