extension DecodingError {
  /// Where a dictionary is decoded, the names of members come from the client, and may be long.
  private static let limitScalars = 256

  /// What is wrong with the params, and where, for the client that sent them.
  var complaint: String {
    let complaint =
      switch self {
      case .keyNotFound(let key, let context): "\(Self.place(context.codingPath + [key])) is missing"
      case .valueNotFound(_, let context): "\(Self.place(context.codingPath)) is null"
      case .typeMismatch(let type, let context):
        "\(Self.place(context.codingPath)) is not \(Self.name(of: type))"
      case .dataCorrupted(let context):
        "\(Self.place(context.codingPath)): \(context.debugDescription)"
      @unknown default: "params cannot be read"
      }
    return complaint.cut(toScalars: Self.limitScalars)
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.reduce(into: "params") { text, key in
      if let index = key.intValue { text += "[\(index)]" } else { text += ".\(key.stringValue)" }
    }
  }

  /// The type's name in JSON, if it has one there.
  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "an array"
    default: "of type \(type)"
    }
  }
}

extension String {
  /// Counts scalars: one character can have any number of them.
  func cut(toScalars limit: Int) -> String {
    unicodeScalars.count <= limit
      ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(limit))) + "…"
  }
}
