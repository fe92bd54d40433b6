/// A document in which somebody types a line, and what an editor says of it.
struct TypedDocument {
  let path: String
  let language: String
  let before: String
  let after: String

  var uri: String { "file://" + path }

  func text(with line: String) -> String { before + line + "\n" + after }

  func opened(with line: String) -> [String: Any] {
    ["textDocument": ["uri": uri, "languageId": language, "version": 0, "text": text(with: line)]]
  }

  /// The whole text is sent each time: what a server makes of parts of it is its own affair.
  func changed(to line: String, version: Int) -> [String: Any] {
    [
      "textDocument": ["uri": uri, "version": version] as [String: Any],
      "contentChanges": [["text": text(with: line)]],
    ]
  }

  func completion(behind line: String) -> [String: Any] {
    let number = before.count { $0 == "\n" }
    return [
      "textDocument": ["uri": uri],
      "position": ["line": number, "character": line.utf16.count],
    ]
  }
}
