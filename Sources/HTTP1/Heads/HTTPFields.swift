/// The fields of a head, in the order in which they came (RFC 9112 section 5).
package struct HTTPFields: Equatable, Sendable {
  package struct Field: Equatable, Sendable {
    /// In small letters: their size does not matter.
    package let name: String
    package let value: String
  }

  package private(set) var all: [Field] = []

  package init() {}

  /// - Throws: the fault of a line that is no `NAME: VALUE`, such as a continuation of the field before.
  mutating func add(line: [UInt8]) throws(HTTPFault) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      line[..<colon].allSatisfy(\.isTokenCharacter)
    else { throw .malformed("a header field must be NAME: VALUE") }
    all.append(
      Field(
        name: HTTPText.lowercased(HTTPText.string(line[..<colon])),
        value: HTTPText.string(HTTPText.trimmed(line[(colon + 1)...]))))
  }

  /// - Parameter name: in small letters.
  package func values(of name: String) -> [String] {
    all.compactMap { $0.name == name ? $0.value : nil }
  }

  /// The value of a field that may come once; nil: it did not come.
  /// - Parameter name: as it is written in the fault.
  package func single(_ name: String) throws(HTTPFault) -> String? {
    let values = values(of: HTTPText.lowercased(name))
    guard values.count <= 1 else { throw .malformed("\(name) stands there twice") }
    return values.first
  }

  /// The words of a list that may be cut into several fields (RFC 9110 section 5.6.1), in small letters.
  package func words(of name: String) -> [String] {
    values(of: name).flatMap { value in
      HTTPText.lowercased(value).split(separator: ",").map {
        HTTPText.string(HTTPText.trimmed(ArraySlice($0.utf8)))
      }
    }
  }
}
