/// Finds where each key and value of a valid TOML text stands, which TOMLKit does not tell.
///
/// It relies on the text being valid: of one that is not, it finds some places or none, and never traps.
/// It also finds what TOMLKit does not cope with, and has to be asked first.
struct PlaceScanner {
  /// TOMLKit takes tables of any depth, and exhausts the stack.
  static let largestDepth = 64

  private(set) var places: [SourcePath: SourcePlaces] = [:]
  /// Scanning ends at the first.
  private(set) var fault: TextFault?

  let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var place = Place.start
  /// The newest element of each array of tables.
  private var newest: [SourcePath: Int] = [:]
  private var table = SourcePath.root

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    if bytes.starts(with: byteOrderMark) { offset = byteOrderMark.count }
  }

  /// What it is refused for, if anything.
  mutating func scan() -> TextFault? {
    while fault == nil, let byte = peek() {
      let begin = offset
      switch byte {
      case UInt8(ascii: "["): header()
      case UInt8(ascii: "#"): skipLine()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
      default: pair(in: table)
      }
      if offset == begin { advance() }
    }
    return fault
  }

  /// `[a.b]` or `[[a.b]]`.
  private mutating func header() {
    advance()
    let isElement = peek() == UInt8(ascii: "[")
    if isElement { advance() }
    table = .root
    let keys = dottedKey()
    for (depth, key) in keys.enumerated() where fault == nil {
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
    for key in keys.dropLast() where fault == nil {
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
    if path.steps.count > Self.largestDepth {
      refuse(found.key, "nested more than \(Self.largestDepth) levels deep")
    }
  }

  mutating func refuse(_ place: Place, _ message: String) {
    if fault == nil { fault = TextFault(place: place, message: message) }
  }

  // MARK: The text

  func peek(_ distance: Int = 0) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\n") {
        place = Place(line: place.line + 1, column: 1)
      } else if byte & 0xc0 != 0x80 {
        place.column += 1
      }
    }
  }

  mutating func skipBlanks() {
    while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { advance() }
  }

  mutating func skipLine() {
    while let byte = peek(), byte != UInt8(ascii: "\n") { advance() }
  }
}
