extension HTTPFields {
  /// The token of `Authorization: Bearer TOKEN` (RFC 6750 section 2.1); nil where there is none, or another scheme;
  /// empty, as nobody's is, where anything but one word stands behind `Bearer`.
  /// - Throws: 400 where the field stands twice.
  package var bearerToken: String? {
    get throws(HTTPFault) {
      guard let authorization = try single("Authorization") else { return nil }
      let words = authorization.split { $0 == " " || $0 == "\t" }
      guard words.first.map(HTTPText.lowercased) == "bearer" else { return nil }
      return words.count == 2 ? String(words[1]) : ""
    }
  }
}
