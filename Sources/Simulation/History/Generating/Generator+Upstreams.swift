import GatewayCore
import JSONRPC

/// What upstreams do.
extension Generator {
  /// Nil when that is impossible now.
  mutating func upstreamAction(_ kind: Action.Kind, _ world: borrowing World) -> Action? {
    guard let link = link(for: kind, world) else { return nil }
    switch kind {
    case .accept: return .accept(link: link, room: random.pick(knobs.upstreamRooms))
    case .refuse: return .refuse(link: link)
    case .cut: return random.oneIn(4) ? .cut(link: link) : nil
    case .noise: return .utter(link: link, random.pick(Noise.allCases))
    case .deliverAnswers: return .deliverAnswers(link: link, bytes: random.pick(knobs.pieces))
    case .readUpstream: return .readUpstream(link: link, bytes: random.pick([1, 200, 5_000]))
    case .question, .tell, .takeQuestionBack:
      return question(kind, of: link, world).map { .ask(link: link, $0) }
    case .progress: return progress(of: link, world).map { .ask(link: link, $0) }
    case .failSent: return fail(link % 4 == 3 ? .tooLong : .unanswered, at: link, world)
    case .failUnsent: return fail(.unreached, at: link, world)
    case .failUntried: return fail(.untried, at: link, world)
    case .take:
      let notifications = world.links[link].calls.filter(\.isNotification)
      return .take(link: link, random.pick(notifications).name)
    default: return answer(kind, of: link, world)
    }
  }

  private mutating func fail(
    _ failure: ExchangeFailure, at link: Int, _ world: borrowing World
  ) -> Action {
    .fail(link: link, random.pick(world.links[link].calls).name, failure)
  }

  /// Any that can do it now.
  private mutating func link(for kind: Action.Kind, _ world: borrowing World) -> Int? {
    let count = world.openLinks.count
    guard count > 0 else { return nil }
    let first = random.below(count)
    for offset in 0..<count {
      let link = world.openLinks[(first + offset) % count]
      if isPossible(kind, at: link, world) { return link }
    }
    return nil
  }

  private func isPossible(_ kind: Action.Kind, at link: Int, _ world: borrowing World) -> Bool {
    let view = world.links[link]
    switch kind {
    case .accept: return view.state == .connecting
    case .refuse: return view.state == .connecting && !world.upstream(of: link).takesExchanges
    case .deliverAnswers: return view.unreceived > 0
    case .readUpstream: return view.isHeard && world.network.pipes[view.slot].room < Action.everything
    case .both, .tooDeep: return view.state == .connected && !world.upstream(of: link).isTrusted
    case .failSent, .failUnsent, .failUntried:
      return world.upstream(of: link).takesExchanges && !view.calls.isEmpty
    case .take: return world.upstream(of: link).takesExchanges && view.calls.contains(where: \.isNotification)
    case .result, .error, .fractionalID, .stringID, .nullID, .nonsense: return view.state == .connected
    default: return view.state == .connected && !world.upstream(of: link).takesExchanges
    }
  }

  // MARK: Answers

  private mutating func answer(_ kind: Action.Kind, of link: Int, _ world: borrowing World) -> Action? {
    let takesExchanges = world.upstream(of: link).takesExchanges
    if kind == .nonsense && !takesExchanges { return nil }
    // Now and then one answers what another was asked.
    let isForeign = world.openLinks.count > 1 && random.oneIn(15) && !takesExchanges
    let asked = isForeign ? random.pick(world.openLinks) : link
    let calls = world.links[asked].calls.filter { !$0.isNotification }
    let past = takesExchanges ? [] : world.links[asked].past
    guard !(calls.isEmpty && past.isEmpty) else { return nil }
    let isLate = calls.isEmpty || !past.isEmpty && random.oneIn(15)
    let call = isLate ? random.pick(past) : random.pick(calls)
    let isFlat = world.upstream(of: link).framing == .lines
    let form = random.below(Spelling.results.count)
    let answer = Answer(
      kind: kind.answerKind, form: isFlat && Spelling.brokenResults.contains(form) ? 0 : form)
    return .answer(link: link, call.name, answer)
  }

  // MARK: Questions

  /// Mostly of what it works on; nil if nobody asked for that.
  private mutating func progress(of link: Int, _ world: borrowing World) -> Question? {
    let calls = random.oneIn(8) ? world.links[link].past : world.links[link].calls
    let asks = calls.map { abs($0.name.ask) }.filter {
      Spelling.asks[Int(world.oracle.asks[$0].form)].token != nil
    }
    guard !asks.isEmpty else { return nil }
    let ask = random.pick(asks)
    let dialect = random.pick([CancelDialect.lsp, .mcp])
    let question = Question(
      number: nextQuestion, .progress(ask: ask, form: world.oracle.asks[ask].form, dialect))
    remember(question, of: link)
    return question
  }

  private mutating func question(_ kind: Action.Kind, of link: Int, _ world: borrowing World) -> Question? {
    let asked = recentQuestions.last { $0.link == link && ($0.question.number % 3 > 0 || random.oneIn(2)) }
    var question = Question(number: nextQuestion, .notification)
    if kind == .takeQuestionBack {
      guard let asked else { return nil }
      let dialect = random.pick([CancelDialect.lsp, .mcp])
      question.kind = .cancel(of: asked.question.number, dialect, isRespelt: random.oneIn(4))
    } else if kind == .question {
      question.kind = .request
      question.idForm = random.below(Spelling.questionIDs.count)
      if let asked, random.oneIn(8) {
        (question.idNumber, question.idForm) = (asked.question.idNumber, asked.question.idForm)
      }
    }
    question.form = random.below(Spelling.questions.count)
    let isFlat = world.upstream(of: link).framing == .lines
    if isFlat && Spelling.brokenQuestions.contains(question.form) { question.form = 0 }
    // From a copy: what else happens is the same.
    var aside = random
    if kind != .takeQuestionBack, aside.oneIn(8) { question.excess = aside.oneIn(2) ? .tooLong : .tooDeep }
    remember(question, of: link)
    return question
  }
}

extension Action.Kind {
  fileprivate var answerKind: Answer.Kind {
    switch self {
    case .error: .error
    case .both: .both
    case .tooLong: .tooLong
    case .tooDeep: .tooDeep
    case .fractionalID: .fractionalID
    case .stringID: .stringID
    case .nullID: .nullID
    case .nonsense: .nonsense
    default: .result
    }
  }
}
