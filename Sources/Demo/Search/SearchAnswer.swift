import JSONRPC

/// As much of a search's result as a screen shows.
package struct SearchAnswer: Hashable, Sendable {
  package var files: Int
  package var matches: Int
  /// Where the best hit is and what it says; nil if nothing was found.
  package var best: String?

  package init(files: Int, matches: Int, best: String? = nil) {
    self.files = files
    self.matches = matches
    self.best = best
  }

  /// Reads the JSON text of a `SearchResult`; nil if it is something else.
  package init?(result json: [UInt8]) {
    let text = JSONText.padded(json)
    guard json.first == UInt8(ascii: "{") else { return nil }
    var result = ObjectReader(ByteRange(0..<json.count))
    var (files, matches, best) = (Int?.none, Int?.none, String?.none)
    while let member = result.next(in: text.span) {
      if member.isNamed("files", in: text.span) { files = member.integer(in: text.span) }
      if member.isNamed("matches", in: text.span) { matches = member.integer(in: text.span) }
      if member.isNamed("top", in: text.span) { best = Self.firstHit(in: member.value, of: text.span) }
    }
    guard let files, let matches else { return nil }
    self.init(files: files, matches: matches, best: best)
  }

  private static func firstHit(in top: ByteRange, of text: Span<UInt8>) -> String? {
    guard top.count > 2 else { return nil }
    // From the first hit's brace on; the reader ends where its members do.
    var hit = ObjectReader(ByteRange(Int(top.lower) + 1..<Int(top.upper)))
    var (path, line, shown) = ("", "", "")
    while let member = hit.next(in: text) {
      if member.isNamed("path", in: text) { path = member.string(in: text) }
      if member.isNamed("line", in: text) { line = member.integer(in: text).map { ":\($0)" } ?? "" }
      if member.isNamed("text", in: text) { shown = member.string(in: text) }
    }
    return shown.isEmpty ? path : "\(path)\(line) \(shown)"
  }
}

extension Member {
  fileprivate func integer(in text: Span<UInt8>) -> Int? {
    guard kind == .number else { return nil }
    return JSONNumber.nonNegativeInteger(value, in: text).flatMap { Int(exactly: $0) }
  }

  fileprivate func string(in text: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    guard kind == .string, JSONString.unescape(value, in: text, into: &bytes) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
