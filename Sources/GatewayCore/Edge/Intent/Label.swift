import JSONRPC

/// A name that a client chose: where its bytes are, as they came or with their escapes undone in its reader.
enum Label {
  case none
  case raw(ByteRange)
  case unescaped

  var isNone: Bool { if case .none = self { true } else { false } }
}
