import JSONRPC

/// What a search found, and the best of it.
package struct SearchResult: Hashable, Sendable {
  /// One file among the best, with its best line.
  package struct Hit: Hashable, Sendable {
    package var path: [UInt8]
    /// Counted from 1; 0 if just the path holds the query.
    package var line: Int
    package var text: [UInt8]
  }

  package var query: [UInt8]
  /// Files whose path or text holds the query.
  package var files = 0
  /// Occurrences in paths and texts.
  package var matches = 0
  /// From the first byte to the last, waiting for a thread included.
  package var tookMilliseconds = 0
  /// Best first.
  package var top: [Hit] = []

  /// The result as the demo's clients get it.
  package func json() -> [UInt8] {
    var json = JSONBuilder()
    json.object {
      $0.member("query", query)
      $0.member("files", files)
      $0.member("matches", matches)
      $0.member("tookMs", tookMilliseconds)
      $0.array("top", top) { json, hit in
        json.member("path", hit.path)
        json.member("line", hit.line)
        json.member("text", hit.text)
      }
    }
    return json.bytes
  }
}
