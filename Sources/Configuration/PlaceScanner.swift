/// Finds where each key and value of a valid TOML text stands, which TOMLKit does not tell.
///
/// It relies on the text being valid: of one that is not, it finds some places or none, and never traps.
struct PlaceScanner {
  private(set) var places: [SourcePath: SourcePlaces] = [:]
  /// Where a string first says NUL by an escape.
  var nulPlace: Place?

  let bytes: [UInt8]
  private(set) var offset = 0
  private var line = 1
  private var lineStart = 0
  /// The newest element of each array of tables.
  private var newest: [SourcePath: Int] = [:]
  private var table = SourcePath.root

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    if bytes.starts(with: byteOrderMark) {
      offset = byteOrderMark.count
      lineStart = offset
    }
  }

  mutating func scan() {
    while let byte = peek() {
      let begin = offset
      switch byte {
      case UInt8(ascii: "["): header()
      case UInt8(ascii: "#"): skipLine()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
      default: pair(in: table)
      }
      if offset == begin { advance() }
    }
  }

  /// `[a.b]` or `[[a.b]]`.
  private mutating func header() {
    advance()
    let isElement = peek() == UInt8(ascii: "[")
    if isElement { advance() }
    table = .root
    let keys = dottedKey()
    for (depth, key) in keys.enumerated() {
      table = table.appending(.key(key.name))
      note(table, SourcePlaces(key.place))
      if isElement && depth == keys.count - 1 {
        newest[table] = newest[table].map { $0 + 1 } ?? 0
      }
      // A header goes on in the newest element of an array of tables.
      guard let index = newest[table] else { continue }
      table = table.appending(.index(index))
      note(table, SourcePlaces(key.place))
    }
    skipLine()
  }

  /// `a.b = value`.
  mutating func pair(in table: SourcePath) {
    var path = table
    let keys = dottedKey()
    guard let last = keys.last, peek() == UInt8(ascii: "=") else { return }
    advance()
    skipBlanks()
    for key in keys.dropLast() {
      path = path.appending(.key(key.name))
      note(path, SourcePlaces(key.place))
    }
    path = path.appending(.key(last.name))
    note(path, SourcePlaces(key: last.place, value: place))
    value(at: path)
  }

  /// What was said first is where it is.
  mutating func note(_ path: SourcePath, _ found: SourcePlaces) {
    if places[path] == nil { places[path] = found }
  }

  // MARK: The text

  var place: Place {
    Place(line: line, column: bytes[lineStart..<offset].count { $0 & 0xc0 != 0x80 } + 1)
  }

  func peek(_ distance: Int = 0) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where offset < bytes.count {
      let isLineEnd = bytes[offset] == UInt8(ascii: "\n")
      offset += 1
      guard isLineEnd else { continue }
      line += 1
      lineStart = offset
    }
  }

  mutating func skipBlanks() {
    while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { advance() }
  }

  mutating func skipLine() {
    while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
  }
}
