import JSONRPC

/// Why a text cannot be the params of a request.
enum ParamsFault: CustomStringConvertible {
  case empty
  /// It is no JSON, as this character shows, counted from 1.
  case malformed(character: Int)
  case incomplete
  case scalar

  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.allSatisfy(" \t\r\n".utf8.contains) else {
      self = .empty
      return
    }
    // In other commands `-` means standard input, which is not read here.
    guard text != "-" else {
      self = .malformed(character: 1)
      return
    }
    var envelope = Envelope()
    let padded = JSONText.padded(bytes)
    // The gateway checks the nesting.
    switch EnvelopeScanner.scan(padded.span, bytes.indices, .widest, into: &envelope) {
    case .malformed(let offset) where offset >= bytes.count:
      self = .incomplete
    case .malformed(let offset), .tooDeep(let offset):
      self = .malformed(character: String(decoding: bytes[..<offset], as: UTF8.self).count + 1)
    case .invalid(.notAnObject):
      self = .scalar
    case .message, .batch, .invalid:
      return nil
    }
  }

  private static let example = #"; say, for example, '["hello"]' or '{"q":"hello"}'"#

  var description: String {
    switch self {
    case .empty: "the params are empty\(Self.example)"
    case .malformed(let character): "the params are no JSON from character \(character) on\(Self.example)"
    case .incomplete: "the params are no JSON: there is more to come at their end\(Self.example)"
    case .scalar: "the params are neither an array nor an object\(Self.example)"
    }
  }
}
