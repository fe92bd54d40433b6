import HTTP1

/// Which path is answered by whom.
struct AdminRoutes {
  enum Answer {
    case page((HTTPRequest) -> HTTPResponse)
    /// It costs next to nothing.
    case shortPage((HTTPRequest) -> HTTPResponse)
    case events((HTTPRequest, EventStream) -> Void)

    var isShort: Bool { if case .shortPage = self { true } else { false } }
  }

  private var answers: [String: Answer] = [:]

  mutating func add(_ path: String, _ answer: Answer) { answers[path] = answer }

  func answer(to path: String) -> Answer? { answers[path] }

  func notFound() -> HTTPResponse {
    let paths = answers.keys.sorted().map { "  \($0)\n" }.joined()
    return .text("no such page; there are:\n\(paths)", .notFound)
  }
}
