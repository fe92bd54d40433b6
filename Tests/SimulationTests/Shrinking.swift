import TaskStore

/// Makes a failing history short: drops whatever it fails without.
struct Shrinking {
  let limits: StoreLimits
  /// A history that could be shorter is better than none after an hour.
  private var stepsLeft = 300_000

  init(limits: StoreLimits) { self.limits = limits }

  /// What is wrong with a history, if anything, and how far it got; events that cannot happen are left out.
  func replay(_ history: [Event]) -> (happened: [Event], complaint: String?) {
    var trial = Trial(limits: limits)
    var happened: [Event] = []
    for event in history where trial.isPossible(event) {
      happened.append(event)
      if let complaint = trial.apply(event) { return (happened, complaint) }
    }
    return (happened, nil)
  }

  /// Drops ever smaller pieces while what is left still fails.
  mutating func shortest(_ history: [Event]) -> [Event] {
    var history = replay(history).happened
    var size = history.count / 2
    while size > 0, stepsLeft > 0 {
      let before = history.count
      history = withoutPieces(of: size, history)
      if size > 1 || history.count == before { size /= 2 }
    }
    return renumbered(history)
  }

  private mutating func withoutPieces(of size: Int, _ history: [Event]) -> [Event] {
    var history = history
    var start = 0
    while start < history.count, stepsLeft > 0 {
      var shorter = history
      shorter.removeSubrange(start..<min(start + size, history.count))
      let (happened, complaint) = replay(shorter)
      stepsLeft -= happened.count
      if complaint != nil { history = happened } else { start += size }
    }
    return history
  }

  /// Requests are numbered as they come.
  private func renumbered(_ history: [Event]) -> [Event] {
    var numbers: [Int: Int] = [:]
    return history.map { event in
      switch event {
      case .submit(var request):
        numbers[request.number] = numbers.count + 1
        request.number = numbers.count
        return .submit(request)
      case .finished(let task, let isError): return .finished(numbers[task] ?? 0, isError: isError)
      case .failed(let task): return .failed(numbers[task] ?? 0)
      case .cancelled(let caller): return .cancelled(numbers[caller] ?? 0)
      case .cancelledTogether(let callers): return .cancelledTogether(callers.map { numbers[$0] ?? 0 })
      case .disconnected(let caller): return .disconnected(numbers[caller] ?? 0)
      case .cancelledLane, .timePasses: return event
      }
    }
  }
}
