/// What a response says before its content (RFC 9112 sections 4 and 5).
package struct HTTPResponseHead: HTTPMessageHead {
  package let status: Int
  package let fields: HTTPFields
  package let framing: HTTPContentFraming
  package let keepsConnection: Bool

  /// - Parameter isToHead: a response to HEAD has no content, whatever its fields say.
  init(_ line: [UInt8], _ fields: HTTPFields, isToHead: Bool) throws(HTTPFault) {
    let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, let version = HTTPVersion(words[0]), version.major == 1, words[1].count == 3,
      words[1].allSatisfy(HTTPText.isDigit), let status = Int(HTTPText.string(words[1])), status >= 100
    else {
      throw .malformed("the first line must be HTTP/1.1, STATUS and what it means")
    }
    // RFC 9112 section 6.3, first and second.
    let hasContent = !isToHead && status >= 200 && status != 204 && status != 304
    framing = hasContent ? try HTTPContentFraming(fields) ?? .connectionEnd : .none
    let options = fields.words(of: "connection")
    let isLast = version.minor == 0 ? !options.contains("keep-alive") : options.contains("close")
    keepsConnection = !isLast && framing != .connectionEnd
    self.status = status
    self.fields = fields
  }

  /// It says that the real one will come.
  package var isInterim: Bool { status < 200 }
}
