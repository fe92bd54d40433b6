/// A state of `JSONCheck`: the token that it is in, and the container around that.
struct JSONState {
  /// The container of a value, or of a member's name.
  enum Context: UInt8, CaseIterable {
    /// In nothing: it is the text.
    case text
    case array, object
    /// It is the name of an object's member.
    case name
  }

  enum Place: UInt8, CaseIterable {
    case string
    // Each is one byte further from the backslash.
    case escape, hexDigit1, hexDigit2, hexDigit3, hexDigit4
    // So many bytes of a scalar are to come.
    case last, lastTwo, lastThree, afterE0, afterED, afterF0, afterF4
    case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    case t, tr, tru, f, fa, fal, fals, n, nu, nul
    /// A value or a name must come.
    case value
    /// One of them, or the bracket that ends the container.
    case first
    /// What may stand behind a value or a name.
    case after

    var isInEscape: Bool { Self.escape.rawValue...Self.hexDigit4.rawValue ~= rawValue }
    var isInScalar: Bool { Self.last.rawValue...Self.afterF4.rawValue ~= rawValue }
    /// A number may end here.
    var endsNumber: Bool { self == .zero || self == .integer || self == .fraction || self == .exponentDigits }
  }

  let number: UInt8

  init(number: UInt8) { self.number = number }

  init(_ context: Context, _ place: Place) { number = context.rawValue * Self.placeCount + place.rawValue }

  static let placeCount: UInt8 = 34
  /// A step below that is the next state's number.
  static let count = UInt8(Context.allCases.count) * placeCount

  var place: Place {
    guard let place = Place(rawValue: number % Self.placeCount) else { preconditionFailure("no such state") }
    return place
  }

  /// Whether a text may end here.
  var endsText: Bool { number < Self.placeCount && (place.endsNumber || place == .after) }

  /// The string's state that has the same context.
  @inline(__always)
  static func stringBeside(_ number: UInt8) -> UInt8 { number - number % placeCount }

  static let firstName = JSONState(.name, .first).number
  static let firstItem = JSONState(.array, .first).number
  static let afterText = JSONState(.text, .after).number
  static let afterItem = JSONState(.array, .after).number
  static let afterMember = JSONState(.object, .after).number

  // MARK: Steps that are more than a new state

  /// A string begins, or goes on behind an escape.
  static let goOnInString: UInt8 = 0xF0
  static let openObject: UInt8 = 0xF1
  static let openArray: UInt8 = 0xF2
  static let closeContainer: UInt8 = 0xF3
  static let wrong: UInt8 = 0xFF

  /// A row of 256 steps for each state, one for each byte.
  static let steps = JSONSteps.all()
}

/// Writes the grammar of RFC 8259, and the table 3-7 of the Unicode standard, as steps from state to state.
private struct JSONSteps {
  private var steps = [UInt8](repeating: JSONState.wrong, count: Int(JSONState.count) * 256)
  private var context = JSONState.Context.text

  static func all() -> [UInt8] {
    var table = JSONSteps()
    for context in JSONState.Context.allCases {
      table.context = context
      table.addString()
      table.addWhitespace()
      switch context {
      case .name: table.addNames()
      case .text, .array, .object: table.addValues()
      }
    }
    return table.steps
  }

  private mutating func addNames() {
    for place in [JSONState.Place.value, .first] { add("\"", at: place, step: JSONState.goOnInString) }
    add("}", at: .first, step: JSONState.closeContainer)
    add(":", at: .after, step: JSONState(.object, .value).number)
  }

  private mutating func addValues() {
    for place in [JSONState.Place.value, .first] {
      add("\"", at: place, step: JSONState.goOnInString)
      add("{", at: place, step: JSONState.openObject)
      add("[", at: place, step: JSONState.openArray)
      add("-", at: place, .minus)
      add("0", at: place, .zero)
      add("123456789", at: place, .integer)
      for (letter, literal) in [("t", JSONState.Place.t), ("f", .f), ("n", .n)] {
        add(letter, at: place, literal)
      }
    }
    add("]", at: .first, step: JSONState.closeContainer)
    addEnd(of: .after)
    addNumber()
    addLiterals()
  }

  /// What may stand behind a value.
  private mutating func addEnd(of place: JSONState.Place) {
    add(" \t\n\r", at: place, .after)
    switch context {
    case .array:
      add(",", at: place, .value)
      add("]", at: place, step: JSONState.closeContainer)
    case .object:
      add(",", at: place, step: JSONState(.name, .value).number)
      add("}", at: place, step: JSONState.closeContainer)
    case .text, .name: break
    }
  }

  private mutating func addWhitespace() {
    for place in [JSONState.Place.value, .first, .after] { add(" \t\n\r", at: place, place) }
  }

  private mutating func addNumber() {
    let digits = "0123456789"
    add("0", at: .minus, .zero)
    add("123456789", at: .minus, .integer)
    add(digits, at: .integer, .integer)
    for place in [JSONState.Place.zero, .integer] { add(".", at: place, .point) }
    for place in [JSONState.Place.point, .fraction] { add(digits, at: place, .fraction) }
    for place in [JSONState.Place.zero, .integer, .fraction] { add("eE", at: place, .exponent) }
    add("+-", at: .exponent, .exponentSign)
    for place in [JSONState.Place.exponent, .exponentSign, .exponentDigits] {
      add(digits, at: place, .exponentDigits)
    }
    for place in JSONState.Place.allCases where place.endsNumber { addEnd(of: place) }
  }

  private mutating func addLiterals() {
    let steps: [(String, JSONState.Place, JSONState.Place)] = [
      ("r", .t, .tr), ("u", .tr, .tru), ("e", .tru, .after),
      ("a", .f, .fa), ("l", .fa, .fal), ("s", .fal, .fals), ("e", .fals, .after),
      ("u", .n, .nu), ("l", .nu, .nul), ("l", .nul, .after),
    ]
    for (letter, place, next) in steps { add(letter, at: place, next) }
  }

  private mutating func addString() {
    add(0x20...0x7F, at: .string, .string)
    add("\"", at: .string, .after)
    add("\\", at: .string, .escape)
    add("\"\\/bfnrt", at: .escape, step: JSONState.goOnInString)
    add("u", at: .escape, .hexDigit1)
    let hexDigits = "0123456789abcdefABCDEF"
    add(hexDigits, at: .hexDigit1, .hexDigit2)
    add(hexDigits, at: .hexDigit2, .hexDigit3)
    add(hexDigits, at: .hexDigit3, .hexDigit4)
    add(hexDigits, at: .hexDigit4, step: JSONState.goOnInString)
    let leads: [(ClosedRange<UInt8>, JSONState.Place)] = [
      (0xC2...0xDF, .last), (0xE0...0xE0, .afterE0), (0xE1...0xEF, .lastTwo), (0xED...0xED, .afterED),
      (0xF0...0xF0, .afterF0), (0xF1...0xF3, .lastThree), (0xF4...0xF4, .afterF4),
    ]
    for (bytes, next) in leads { add(bytes, at: .string, next) }
    let continuations: [(ClosedRange<UInt8>, JSONState.Place, JSONState.Place)] = [
      (0x80...0xBF, .last, .string), (0x80...0xBF, .lastTwo, .last), (0x80...0xBF, .lastThree, .lastTwo),
      (0xA0...0xBF, .afterE0, .last), (0x80...0x9F, .afterED, .last),
      (0x90...0xBF, .afterF0, .lastTwo), (0x80...0x8F, .afterF4, .lastTwo),
    ]
    for (bytes, place, next) in continuations { add(bytes, at: place, next) }
  }

  // MARK: One step

  private mutating func add(_ characters: String, at place: JSONState.Place, _ next: JSONState.Place) {
    add(characters, at: place, step: JSONState(context, next).number)
  }

  private mutating func add(_ bytes: ClosedRange<UInt8>, at place: JSONState.Place, _ next: JSONState.Place) {
    for byte in bytes { add(byte, at: place, step: JSONState(context, next).number) }
  }

  private mutating func add(_ characters: String, at place: JSONState.Place, step: UInt8) {
    for byte in characters.utf8 { add(byte, at: place, step: step) }
  }

  private mutating func add(_ byte: UInt8, at place: JSONState.Place, step: UInt8) {
    steps[Int(JSONState(context, place).number) << 8 | Int(byte)] = step
  }
}
