import GatewayCore
import TaskStore

/// Checks the events that a watcher hears against each other: each task's story makes sense, and ends.
///
/// Once an event was left out, it checks only what is true of any part of a story.
struct Chronicle {
  private let limitEvents: Int
  /// By generation.
  var stories: [TaskStory] = [TaskStory()]
  var tally = TaskTally()
  private var lastMilliseconds: UInt64 = 0
  private let verdict = Verdict()

  init(limitEvents: Int) { self.limitEvents = limitEvents }

  /// What is wrong, if anything.
  var complaint: String? { verdict.complaint }

  func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { verdict.complain("the journal: " + text()) }
  }

  /// - Parameters:
  ///   - tasks: so many there can have been.
  ///   - now: the time.
  mutating func read(
    _ journal: borrowing TaskJournal, tasks: UInt64, at now: UInt64, _ coverage: inout Coverage
  ) {
    let (events, leftOut) = (journal.events.count, journal.leftOutCount)
    expect(events <= limitEvents, "\(events) events, where \(limitEvents) are the most")
    expect(leftOut == 0 || events == limitEvents, "\(leftOut) events were left out behind \(events)")
    for event in journal.events {
      expect(
        (lastMilliseconds...now).contains(event.atMilliseconds),
        "\(event.atMilliseconds) ms is after \(now) ms, or before \(lastMilliseconds) ms")
      guard complaint == nil else { return }
      lastMilliseconds = event.atMilliseconds
      expectOrigin(of: event, among: journal.origins)
      hear(event, journal.text, tasks: tasks, &coverage)
      tally.events += 1
    }
    tally.leftOut += leftOut
    if leftOut > 0 { coverage.count(.leftOutEvents) }
  }

  /// Of each request that came it is told from where, and of nothing else.
  private func expectOrigin(of event: TaskEvent, among origins: [TaskOrigin]) {
    switch event.kind {
    case .admitted, .joined, .rejected:
      let isTold = origins.indices.contains(event.origin) && origins[event.origin].client.slot == event.client
      expect(isTold && origins[event.origin].connection > 0, "from where it came is not told: \(event)")
    case .sent, .firstPiece, .refused, .followed, .abandoned, .cancelSent, .answered, .ended:
      expect(event.origin < 0, "this came from nobody: \(event)")
    }
  }

  private mutating func hear(
    _ event: TaskEvent, _ text: [UInt8], tasks: UInt64, _ coverage: inout Coverage
  ) {
    coverage.count(event.kind)
    expect(
      event.key.upperBound <= text.count && event.method.upperBound <= text.count, "a text is cut: \(event)")
    if case .rejected = event.kind {
      tally.rejected += 1
      return expect(event.generation == 0, "a request that became no task has a generation: \(event)")
    }
    expect((1...max(tasks, 1)).contains(event.generation), "there can be no such task: \(event)")
    guard complaint == nil else { return }
    while stories.count <= event.generation { stories.append(TaskStory()) }
    if case .admitted(let policy) = event.kind { return admit(policy, event, text) }
    tell(event, text, &coverage)
  }

  private mutating func admit(_ policy: DuplicatePolicy, _ event: TaskEvent, _ text: [UInt8]) {
    tally.admitted += 1
    let generation = Int(event.generation)
    // Generations are given away in order, so that none is told of before or twice.
    expect(generation == stories.count - 1, "admitted again, or too late: \(event)")
    expect(!tally.isWhole || event.generation == tally.admitted, "an admission was not told before \(event)")
    expect(event.ageMilliseconds == 0 && event.client >= 0, "this is no admission: \(event)")
    expect(stories[generation].policy == nil, "admitted twice: \(event)")
    stories[generation].policy = policy
    stories[generation].callers = 1
    stories[generation].admittedMilliseconds = event.atMilliseconds
    stories[generation].key = Array(text[event.key])
    stories[generation].method = Array(text[event.method])
    let method = stories[generation].method
    expect(method.first == UInt8(ascii: "\"") && method.last == UInt8(ascii: "\""), "no method: \(event)")
  }

  /// Everything is over: so is every story.
  func expectAllOver() {
    guard tally.isWhole else { return }
    for generation in stories.indices.dropFirst() {
      expect(stories[generation].isOver, "task \(generation) has no end: \(stories[generation])")
      expect(!stories[generation].owesCancel, "task \(generation) was not cancelled: \(stories[generation])")
    }
  }
}
