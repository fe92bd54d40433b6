import JSONRPC

/// How a message may come.
extension Message {
  var isHeader: Bool {
    if case .oddity(_, let index) = self { Oddity.all[index].isHeader } else { false }
  }

  var isBlank: Bool {
    if case .oddity(_, let index) = self { Oddity.all[index].isBlank } else { false }
  }

  /// Whether a client of this framing can send it.
  func suits(_ framing: Framing) -> Bool {
    switch self {
    case .request(let request): framing == .contentLength || !Spelling.brokenForms.contains(request.form)
    case .oddity(_, let index): Oddity.all[index].suits(framing)
    case .batch(let items): items.allSatisfy { $0.suits(framing) }
    case .cancelRequest, .cancel, .inspect: true
    }
  }
}
