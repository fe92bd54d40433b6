import JSONRPC

/// One value of a report file, which says where it stands when it is not what it should be.
struct ReportValue {
  /// The text with the slack that its readers need.
  let bytes: [UInt8]
  let file: String
  let place: String
  let range: ByteRange
  let kind: ValueKind

  /// The whole file, checked to be JSON.
  init(_ text: [UInt8], file: String) throws(LoadFileError) {
    guard text.count <= ReportBounds.fileBytes else {
      throw LoadFileError(file: file, place: "", reason: "longer than \(ReportBounds.fileBytes >> 20) MiB")
    }
    bytes = JSONText.padded(text)
    self.file = file
    place = ""
    range = ByteRange(Self.trimmed(text))
    kind = .object
    var envelope = Envelope()
    switch EnvelopeScanner.scan(bytes.span, 0..<text.count, into: &envelope) {
    case .malformed(let offset), .tooDeep(let offset):
      let place = Self.place(offset, in: text)
      throw LoadFileError(file: "\(file):\(place.line):\(place.column)", place: "", reason: "not valid JSON")
    case .batch, .invalid(.notAnObject): throw error("not a report: a report is a JSON object")
    case .message, .invalid: break
    }
  }

  /// Counted from 1, the column in characters.
  private static func place(_ offset: Int, in text: [UInt8]) -> (line: Int, column: Int) {
    let before = text[..<offset]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let lineNumber = before.count { $0 == UInt8(ascii: "\n") } + 1
    return (lineNumber, String(decoding: before[lineStart...], as: UTF8.self).count + 1)
  }

  init(_ range: ByteRange, _ kind: ValueKind, at place: String, in parent: ReportValue) {
    bytes = parent.bytes
    file = parent.file
    self.place = place
    self.range = range
    self.kind = kind
  }

  func number(upTo limit: UInt64 = ReportBounds.count) throws(LoadFileError) -> UInt64 {
    try expect(.number, "a whole number")
    guard let number = JSONNumber.nonNegativeInteger(range, in: bytes.span), number <= limit else {
      throw error("expected a whole number up to \(limit)")
    }
    return number
  }

  /// A number that may be below zero.
  func integer() throws(LoadFileError) -> Int {
    try expect(.number, "a whole number")
    let isNegative = bytes[range.range.lowerBound] == UInt8(ascii: "-")
    let digits = ByteRange(isNegative ? range.range.dropFirst() : range.range)
    guard let magnitude = JSONNumber.nonNegativeInteger(digits, in: bytes.span),
      let number = Int(exactly: magnitude)
    else { throw error("expected a whole number of 64 bits") }
    return isNegative ? -number : number
  }

  func text() throws(LoadFileError) -> String {
    try expect(.string, "a string")
    var content: [UInt8] = []
    guard JSONString.unescape(range, in: bytes.span, into: &content) else {
      throw error("half a surrogate pair")
    }
    return String(decoding: content, as: UTF8.self)
  }

  func object() throws(LoadFileError) -> ReportObject {
    try expect(.object, "an object")
    return ReportObject(self)
  }

  func elements(upTo limit: Int) throws(LoadFileError) -> [ReportValue] {
    try expect(.array, "an array")
    var elements: [ReportValue] = []
    var reader = ArrayReader(range)
    while let element = reader.next(in: bytes.span) {
      guard elements.count < limit else { throw error("more than \(limit) elements") }
      elements.append(ReportValue(element.value, element.kind, at: "\(place)[\(elements.count)]", in: self))
    }
    return elements
  }

  func error(_ reason: String) -> LoadFileError { LoadFileError(file: file, place: place, reason: reason) }

  private func expect(_ expected: ValueKind, _ name: String) throws(LoadFileError) {
    guard kind == expected else { throw error("expected \(name), found \(kind.phrase)") }
  }

  /// Without the white space around it, which the readers of values do not expect.
  private static func trimmed(_ text: [UInt8]) -> Range<Int> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || 0x09...0x0a ~= byte || byte == 0x0d }
    guard let first = text.firstIndex(where: { !isSpace($0) }),
      let last = text.lastIndex(where: { !isSpace($0) })
    else { return 0..<0 }
    return first..<last + 1
  }
}

extension ValueKind {
  /// As an error says it.
  fileprivate var phrase: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .object: "an object"
    case .array: "an array"
    case .true, .false: "a boolean"
    case .null: "null"
    }
  }
}
