import HTTP1

/// The answer to each path.
struct AdminRoutes {
  enum Answer {
    case page((HTTPRequest) -> HTTPResponse)
    /// A page that costs next to nothing.
    case shortPage((HTTPRequest) -> HTTPResponse)
    case events((HTTPRequest, EventStream) -> Void)
    /// A POST that changes something, for known clients only.
    case action((HTTPRequest) -> HTTPResponse)
    /// A POST that changes only the playground, for every client that may see the pages.
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

  /// - Parameter isOpen: whether it needs no token, as it tells nothing about clients.
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
