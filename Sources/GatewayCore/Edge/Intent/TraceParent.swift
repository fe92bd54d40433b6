import JSONRPC

/// The text by which a request is found again in traces (W3C Trace Context, section 3.2).
enum TraceParent {
  private static let byteCount = 55

  /// Whether the bytes are two digits of version, 32 of trace, 16 of parent, and two of flags, none of the first three
  /// forbidden: the version ff, ids of zeros alone.
  static func isValid(_ text: Span<UInt8>) -> Bool {
    guard text.count == byteCount else { return false }
    for dash in [2, 35, 52] where text[dash] != UInt8(ascii: "-") { return false }
    for part in [0..<2, 3..<35, 36..<52, 53..<55] where !isHex(part, in: text) { return false }
    let isForbidden = text[0] == UInt8(ascii: "f") && text[1] == UInt8(ascii: "f")
    return !isForbidden && !isZero(3..<35, in: text) && !isZero(36..<52, in: text)
  }

  private static func isHex(_ part: Range<Int>, in text: Span<UInt8>) -> Bool {
    for index in part {
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
      default: return false
      }
    }
    return true
  }

  private static func isZero(_ part: Range<Int>, in text: Span<UInt8>) -> Bool {
    for index in part where text[index] != UInt8(ascii: "0") { return false }
    return true
  }
}
