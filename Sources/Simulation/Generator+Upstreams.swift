/// What upstreams do.
extension Generator {
  /// Nil when that is impossible now.
  mutating func upstreamAction(_ kind: Action.Kind, _ world: borrowing World) -> Action? {
    guard let upstream = upstream(for: kind, world) else { return nil }
    switch kind {
    case .accept: return .accept(upstream: upstream)
    case .refuse: return .refuse(upstream: upstream)
    case .cut: return random.oneIn(4) ? .cut(upstream: upstream) : nil
    case .noise: return .utter(upstream: upstream, random.pick(Noise.allCases))
    case .deliverAnswers: return .deliverAnswers(upstream: upstream, bytes: random.pick(knobs.pieces))
    case .readUpstream: return .readUpstream(upstream: upstream, bytes: random.pick([1, 200, 5_000]))
    default: return answer(kind, of: upstream, world)
    }
  }

  /// Any that can do it now.
  private mutating func upstream(for kind: Action.Kind, _ world: borrowing World) -> Int? {
    let count = world.upstreams.count
    let first = random.below(count)
    for offset in 0..<count {
      let index = (first + offset) % count
      let isPossible =
        switch kind {
        case .accept, .refuse: world.upstreams[index].state == .connecting
        case .deliverAnswers: world.upstreams[index].unreceived > 0
        case .readUpstream: world.network.pipes[index].room < Action.everything
        default: world.upstreams[index].state == .connected
        }
      if isPossible { return index }
    }
    return nil
  }

  private mutating func answer(_ kind: Action.Kind, of upstream: Int, _ world: borrowing World) -> Action? {
    // Now and then one answers what another was asked.
    let isForeign = world.upstreams.count > 1 && random.oneIn(15)
    let asked = isForeign ? (upstream + 1) % world.upstreams.count : upstream
    let (calls, past) = (world.upstreams[asked].calls, world.upstreams[asked].past)
    guard !(calls.isEmpty && past.isEmpty) else { return nil }
    let isLate = calls.isEmpty || !past.isEmpty && random.oneIn(15)
    let call = isLate ? random.pick(past) : random.pick(calls)
    let answer = Answer(kind: kind.answerKind, form: random.below(Spelling.results.count))
    return .answer(upstream: upstream, call.name, answer)
  }
}

extension Action.Kind {
  fileprivate var answerKind: Answer.Kind {
    switch self {
    case .error: .error
    case .both: .both
    case .fractionalID: .fractionalID
    case .stringID: .stringID
    default: .result
    }
  }
}
