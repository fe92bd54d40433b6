/// A value of a TOML text, with the places of its key and of itself.
struct TOMLEntry {
  /// Nothing is nested deeper than the parser allows, so that freeing it cannot exhaust the stack.
  indirect enum Content {
    case integer(Int)
    case boolean(Bool)
    case text(String)
    case list([TOMLEntry])
    case table([TOMLMember])
    /// A type that no setting has.
    case other(String)
  }

  var content: Content
  var keyPlace: Place
  var valuePlace: Place

  /// What it is, for messages.
  var kind: String {
    switch content {
    case .integer: "an integer"
    case .boolean: "a boolean"
    case .text: "a string"
    case .list: "an array"
    case .table: "a table"
    case .other(let name): "a \(name)"
    }
  }
}

/// A key of a TOML table and what stands there.
struct TOMLMember {
  let name: String
  let entry: TOMLEntry
}
