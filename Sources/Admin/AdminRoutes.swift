import HTTP1

/// Which path is answered by whom.
struct AdminRoutes {
  enum Answer {
    case page((HTTPRequest) -> HTTPResponse)
    /// It costs next to nothing.
    case shortPage((HTTPRequest) -> HTTPResponse)
    case events((HTTPRequest, EventStream) -> Void)
    /// It changes something: by POST, and only for those who are known.
    case action((HTTPRequest) -> HTTPResponse)
    /// It changes nothing that is anybody's, by POST, for whoever may see the pages.
    case playing((HTTPRequest) -> HTTPResponse)

    var isShort: Bool { if case .shortPage = self { true } else { false } }

    var takesPosts: Bool {
      switch self {
      case .action, .playing: true
      case .page, .shortPage, .events: false
      }
    }
  }

  private var answers: [String: Answer] = [:]
  private var open: Set<String> = []

  /// - Parameter isOpen: it tells nothing of what clients do, and takes no token.
  mutating func add(_ path: String, isOpen: Bool = false, _ answer: Answer) {
    answers[path] = answer
    if isOpen { open.insert(path) }
  }

  func isOpen(_ path: String) -> Bool { open.contains(path) }

  func answer(to path: String) -> Answer? { answers[path] }

  func notFound() -> HTTPResponse {
    let paths = answers.keys.sorted().map { "  \($0)\n" }.joined()
    return .text("no such page; there are:\n\(paths)", .notFound)
  }
}
