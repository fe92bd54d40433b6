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
  /// The same at an upstream that clients share: what stands before and behind the task's id in the params, and the letter
  /// behind the id.
  let passed: Passed?

  struct Passed: Sendable {
    let before: Template
    let after: Template
    let letter: Character
    /// As the client says it.
    let asked: Template

    func own(_ number: Int) -> [UInt8] {
      var text: [UInt8] = []
      asked.append(number, to: &text)
      return text
    }

    /// Whether these are the params with the token of a task.
    /// - Parameter id: of the task, in digits; nil: nobody knows it.
    func matches(_ number: Int, _ params: ArraySlice<UInt8>, id: ArraySlice<UInt8>?) -> Bool {
      var (start, end): ([UInt8], [UInt8]) = ([], [])
      before.append(number, to: &start)
      after.append(number, to: &end)
      guard params.starts(with: start), params.count > start.count + end.count,
        params.suffix(end.count).elementsEqual(end)
      else { return false }
      let digits = params.dropFirst(start.count).dropLast(end.count)
      return id.map { digits.elementsEqual($0) } ?? digits.allSatisfy(\.isDigit)
    }
  }

  init(
    _ method: String, _ params: String, stem: String = "m",
    places: (Place, Place, Place) = (.nothing, .nothing, .nothing),
    token: (asked: String, reported: String, letter: Character)? = nil
  ) {
    self.method = Template("\"\(method)\"")
    self.params = Template(params)
    self.stem = stem
    self.places = [places.0, places.1, places.2]
    self.token = token.map { Template($0.reported) }
    passed = token.flatMap { Self.passed(params, $0.asked, $0.letter) }
  }

  private static func passed(_ params: String, _ token: String, _ letter: Character) -> Passed? {
    guard let found = params.firstRange(of: "Token\":" + token) else { return nil }
    let start = params.index(found.upperBound, offsetBy: -token.count)
    return Passed(
      before: Template(params[..<start] + "\""), after: Template("\(letter)\"" + params[found.upperBound...]),
      letter: letter, asked: Template(token))
  }

  /// A route may find a key in it, or what should be one.
  var isPointedAt: Bool { places.contains { $0 != .nothing } }

  /// The first key that a route may find.
  var firstKey: Int8? {
    for case .key(let key) in places { return key }
    return nil
  }
}
