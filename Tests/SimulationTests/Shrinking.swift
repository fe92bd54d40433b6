import Simulation
import TaskStore

/// Makes a failing history short: drops whatever it fails without.
struct Shrinking {
  /// A history that could be shorter is better than none after an hour.
  private static let mostSteps = 300_000

  let limits: StoreLimits

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

  /// The shortest history found that fails, in whatever way.
  func shortest(_ history: [Event]) -> [Event] {
    var shrinking = HistoryShrinking<Event>(of: "", mostSteps: Self.mostSteps) { history in
      let (happened, complaint) = replay(history)
      return (happened, complaint.map { _ in "" })
    }
    return renumbered(shrinking.shortest(replay(history).happened))
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
      case .piece(let task): return .piece(numbers[task] ?? 0)
      case .failed(let task): return .failed(numbers[task] ?? 0)
      case .cancelled(let caller): return .cancelled(numbers[caller] ?? 0)
      case .cancelledTogether(let callers): return .cancelledTogether(callers.map { numbers[$0] ?? 0 })
      case .disconnected(let caller): return .disconnected(numbers[caller] ?? 0)
      case .leftBehind(let task, let drain): return .leftBehind(numbers[task] ?? 0, drainMilliseconds: drain)
      case .cancelledLane, .timePasses: return event
      }
    }
  }
}
