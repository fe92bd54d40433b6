import HTTP1

/// The terms of a POST: the type of its content, and of the response that it accepts.
enum PostTerms {
  private static let json = "application/json"
  private static let events = "text/event-stream"

  static func check(_ head: HTTPRequestHead) throws(HTTPFault) {
    // A page of another origin can send other types without asking first (Fetch, section 4.8).
    guard let type = try head.fields.single("Content-Type"), mediaType(type) == json else {
      throw HTTPFault(.unsupportedMediaType, "the content has to be JSON: Content-Type: application/json")
    }
    guard head.fields.values(of: "content-encoding").isEmpty else {
      throw HTTPFault(.unsupportedMediaType, "the content must not be compressed")
    }
    let says = head.fields.values(of: "accept").contains { !$0.isEmpty }
    guard !says || ranges(head).contains(where: isGiven) else {
      throw HTTPFault(.notAcceptable, "a reply is \(json), or, where that is accepted first, \(events)")
    }
  }

  /// The session that it names: nobody else may guess it.
  static func session(of head: HTTPRequestHead) throws(HTTPFault) -> [UInt8]? {
    guard let text = try head.fields.single("Lastword-Session") else { return nil }
    guard sessionBytes.contains(text.utf8.count), text.utf8.allSatisfy(\.isTokenCharacter) else {
      throw .malformed(
        "Lastword-Session has to be \(sessionBytes.lowerBound) to \(sessionBytes.upperBound) letters, chosen at random"
      )
    }
    return Array(text.utf8)
  }

  private static let sessionBytes = 22...128

  /// Whether the reply is to be an event stream: that is named, and JSON is not before it.
  static func wantsEvents(_ head: HTTPRequestHead) -> Bool {
    ranges(head).first { $0 == events || $0 == json } == events
  }

  /// Whether the reply may be an event stream.
  static func takesEvents(_ head: HTTPRequestHead) -> Bool { ranges(head).contains(events) }

  private static func isGiven(_ range: String) -> Bool {
    [json, events, "*/*", "application/*", "text/*"].contains(range)
  }

  /// The media ranges that it accepts (RFC 9110 section 12.5.1); of weights only a refusal counts.
  private static func ranges(_ head: HTTPRequestHead) -> [String] {
    head.fields.values(of: "accept").flatMap { $0.split(separator: ",") }.filter { !isRefused($0) }.map {
      mediaType($0)
    }
  }

  private static func isRefused(_ range: Substring) -> Bool {
    range.split(separator: ";").dropFirst().contains {
      let words = HTTPText.lowercased(String($0.filter { $0 != " " && $0 != "\t" }))
      return words.hasPrefix("q=0") && words.dropFirst(3).allSatisfy { $0 == "0" || $0 == "." }
    }
  }

  /// Without parameters, in small letters.
  private static func mediaType(_ text: some StringProtocol) -> String {
    let type = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return HTTPText.lowercased(String(type.filter { $0 != " " && $0 != "\t" }))
  }
}
