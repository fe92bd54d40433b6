/// What a byte does in a text: it decides where words, their parts and lines begin.
enum ByteClass: UInt8 {
  case other, lineFeed, lower, upper, digit
  /// A part of a character that is not ASCII: a letter, as far as words go.
  case high

  init(_ byte: UInt8) {
    switch byte {
    case .lineFeed: self = .lineFeed
    case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lower
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upper
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
    case 0x80...: self = .high
    default: self = .other
    }
  }

  var isLetter: Bool { self == .lower || self == .upper }
  var isWord: Bool { rawValue > ByteClass.lineFeed.rawValue }

  /// Whether a byte of this class behind one of class `previous` begins a part of a word, as in `fileName`.
  func startsPart(after previous: ByteClass) -> Bool {
    isWord && self != previous && !(self == .lower && previous == .upper)
  }
}

extension UInt8 {
  /// The lower-case letter for an upper-case one, anything else as it is.
  var folded: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}
