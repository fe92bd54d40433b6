extension HTTPFields {
  /// The token of `Authorization: Bearer TOKEN` (RFC 6750 section 2.1); nil where there is none, or another scheme.
  /// - Throws: 400 where the field stands twice.
  package var bearerToken: String? {
    get throws(HTTPFault) {
      guard let authorization = try single("Authorization") else { return nil }
      let words = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, words[0].lowercased() == "bearer", !words[1].isEmpty else { return nil }
      return String(words[1])
    }
  }
}
