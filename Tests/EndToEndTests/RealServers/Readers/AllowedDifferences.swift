/// In what our reader of requests may differ from another: it may refuse what others take, for reasons that are known; it
/// may not take what another refuses, nor take it for something else.
enum AllowedDifferences {
  private struct Stricter {
    /// How our reason begins.
    let reason: String
    let why: String
  }

  private struct Laxer {
    let reader: String
    /// How the other's reason begins.
    let reason: String
    /// One of these is in such a stream.
    let parts: [String]
    let why: String
  }

  /// What we refuse and others may take.
  private static let stricter = [
    Stricter(
      reason: "a line must end with CR and LF",
      why: "RFC 9112 section 2.2 lets a lone LF end a line: two readers then differ about lines"),
    Stricter(
      reason: "a control character, or an LF without CR",
      why: "the same; and h11 takes control characters in values, which RFC 9110 section 5.5 calls invalid"),
    Stricter(
      reason: "a header field must be NAME: VALUE",
      why: "both take folded lines, which RFC 9112 section 5.2 has a server refuse"),
    Stricter(
      reason: "this is no HTTP: it must begin with a method",
      why: "RFC 9112 section 2.2 asks for one empty line to be let go; both take several"),
    Stricter(
      reason: "the first line must be",
      why: "both take several empty lines, and h11 a line that has no method"),
    Stricter(
      reason: "the first line must end with HTTP/1.1",
      why: "h11 takes the first line of HTTP/0.9, without a version"),
    Stricter(
      reason: "the target", why: "RFC 9112 section 3.2; others leave targets to whoever serves them"),
    Stricter(reason: "the path is no text", why: "the same of escapes"),
    Stricter(reason: "this method is not served here", why: "others leave methods to whoever serves them"),
    Stricter(
      reason: "HTTP/1.1 and HTTP/1.0 are spoken here", why: "what another version means nobody here knows"),
    Stricter(reason: "Host", why: "RFC 9112 section 3.2 has a missing, doubled or invalid one refused"),
    Stricter(
      reason: "Content-Length must be a number", why: "h11 takes a list of equal ones, which may be refused"),
    Stricter(
      reason: "Content-Length stands there twice",
      why: "RFC 9110 section 8.6 lets equal ones be refused, as somebody may want two readers to differ"),
    Stricter(
      reason: "Content-Length and Transfer-Encoding contradict each other",
      why: "RFC 9112 section 6.1 lets that be refused, as it may be an attack; h11 takes the coding"),
    Stricter(reason: "Transfer-Encoding stands there twice", why: "the same of two codings"),
    Stricter(
      reason: "no Transfer-Encoding is known but chunked",
      why: "Node leaves other codings to whoever reads on"),
    Stricter(
      reason: "HTTP/1.0 knows no Transfer-Encoding", why: "RFC 9112 section 6.1: such a framing is faulty"),
    Stricter(
      reason: "nothing can be expected but 100-continue", why: "others leave Expect to whoever answers"),
    Stricter(
      reason: "what stands behind a chunk's size",
      why: "RFC 9112 section 7.1.1 has a name behind each semicolon; h11 looks at nothing there"),
    Stricter(
      reason: "the trailer has a field that only a head may have",
      why: "RFC 9110 section 6.5.1 forbids to send it; h11 lets it go"),
    Stricter(
      reason: "a chunk must begin with its size",
      why: "RFC 9112 section 7.1 has no blanks around a size; h11 takes some"),
  ]

  /// What others refuse and we take, and why that is no fault of ours.
  private static let laxer = [
    Laxer(
      reader: "node", reason: "HPE_INVALID_VERSION", parts: (2...9).map { "HTTP/1.\($0)" },
      why: "RFC 9110 section 2.5: a newer minor version is read as the newest that is known"),
    Laxer(
      reader: "h11", reason: "no request line received", parts: ["\r\n"],
      why: "RFC 9112 section 2.2: one empty line before a request is let go"),
    Laxer(
      reader: "h11", reason: "closed", parts: ["HTTP/1.0"],
      why: "it closes behind every request of HTTP/1.0; RFC 9112 section 9.3 lets a client ask for more"),
  ]

  /// What must not be; nil: nothing.
  static func difference(
    _ ours: ReadRequests, _ theirs: ReadRequests, _ stream: [UInt8], _ reader: String
  ) -> String? {
    for (one, other) in zip(ours.requests, theirs.requests) where one != other {
      return "a request is another one: \(one) here, \(other) there"
    }
    let reason = theirs.end == .closed ? "closed" : theirs.fault
    if let reason, ours.end != theirs.end, isKnown(reason, of: reader, stream) { return nil }
    guard ours.requests.count <= theirs.requests.count else { return "we take what the other does not" }
    switch (ours.end, theirs.end) {
    case (.fault(let reason), _):
      // Where both refuse it is no matter who says it sooner, or how.
      if theirs.fault != nil && ours.requests.count == theirs.requests.count { return nil }
      if theirs.end == .more && ours.requests.count == theirs.requests.count { return nil }
      return stricter.contains { reason.hasPrefix($0.reason) }
        ? nil : "we refuse what the other takes: \(reason)"
    case (.closed, .fault): return "we say that nothing follows where the other goes on"
    case (.more, .fault(let reason)):
      // Others may say before a line has ended that it is wrong.
      let whole = ReadRequests(stream + Array("\r\n\r\n".utf8), pieceBytes: stream.count)
      let isRefused = whole.fault != nil && whole.requests.count == ours.requests.count
      return isRefused ? nil : "we wait for more of what the other refuses: \(reason)"
    case (.more, .more), (.closed, .closed):
      return ours.requests.count == theirs.requests.count ? nil : "the other takes more"
    case (.more, .closed), (.closed, .more): return "whether another may follow is not the same"
    }
  }

  private static func isKnown(_ reason: String, of reader: String, _ stream: [UInt8]) -> Bool {
    let text = String(decoding: stream, as: UTF8.self)
    return laxer.contains { known in
      reader.hasPrefix(known.reader) && reason.hasPrefix(known.reason)
        && known.parts.contains { text.contains($0) }
    }
  }
}
