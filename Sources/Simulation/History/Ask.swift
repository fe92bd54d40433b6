/// A kind of question: its method, and its params, in which a route may find a key.
struct Ask: Sendable {
  /// What is at a place in the params.
  enum Place: Hashable, Sendable {
    case nothing
    /// An index into the keys.
    case key(Int8)
    /// Something that is no key.
    case unfit
  }

  let method: Template
  let params: Template
  /// The method's name up to its number.
  let stem: String
  /// What is at each of `Spelling.pointers`.
  let places: [Place]
  /// How upstream reports progress of it, if it has a token for that; it need not be spelt in the same way.
  let token: Template?

  init(
    _ method: String, _ params: String, stem: String = "m",
    places: (Place, Place, Place) = (.nothing, .nothing, .nothing), token: String? = nil
  ) {
    self.method = Template("\"\(method)\"")
    self.params = Template(params)
    self.stem = stem
    self.places = [places.0, places.1, places.2]
    self.token = token.map { Template($0) }
  }

  /// A route may find a key in it, or what should be one.
  var isPointedAt: Bool { places.contains { $0 != .nothing } }

  /// The first key that a route may find.
  var firstKey: Int8? {
    for case .key(let key) in places { return key }
    return nil
  }
}
