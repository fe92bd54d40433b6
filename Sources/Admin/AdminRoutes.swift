/// Which path is answered by whom.
struct AdminRoutes {
  enum Answer {
    case page((HTTPRequest) -> HTTPResponse)
    case events((HTTPRequest, EventStream) -> Void)
  }

  private var answers: [String: Answer] = [:]

  /// - Parameter path: one that ends with `/*` stands for all that begin like it and are not there themselves.
  mutating func add(_ path: String, _ answer: Answer) { answers[path] = answer }

  func answer(to path: String) -> Answer? {
    if !path.hasSuffix("/*"), let answer = answers[path] { return answer }
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      if let answer = answers["\(rest)/*"] { return answer }
    }
    return nil
  }

  func notFound() -> HTTPResponse {
    let paths = answers.keys.sorted().map { "  \($0)\n" }.joined()
    return .text("no such page; there are:\n\(paths)", .notFound)
  }
}
