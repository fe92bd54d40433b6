/// A value of a text, with the places of its key and of itself.
package struct TOMLEntry: Sendable {
  /// Nothing is nested deeper than the reader allows, so that freeing it cannot exhaust the stack.
  package enum Content: Sendable {
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case text(String)
    /// As it is written.
    case moment(TOMLMoment, String)
    case list([TOMLEntry])
    /// In the order of the text.
    case table([TOMLMember])
  }

  package let content: Content
  /// Of a table, where it is named first.
  package let keyPlace: Place
  package let valuePlace: Place

  /// What it is, for messages.
  package var kind: String { content.kind }
}

extension TOMLEntry.Content {
  var kind: String {
    switch self {
    case .integer: "an integer"
    case .float: "a floating-point number"
    case .boolean: "a boolean"
    case .text: "a string"
    case .moment(let kind, _): "a \(kind.rawValue)"
    case .list: "an array"
    case .table: "a table"
    }
  }
}

/// A key of a table and what stands there.
package struct TOMLMember: Sendable {
  package let name: String
  package let entry: TOMLEntry
}
