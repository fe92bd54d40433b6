import GatewayCore
import TaskStore

/// The events that watchers hear of an admitted task.
extension Chronicle {
  mutating func tell(_ event: TaskEvent, _ text: [UInt8], _ coverage: inout Coverage) {
    let generation = Int(event.generation)
    var story = stories[generation]
    expect(!story.hasEnded, "told after the end: \(event)")
    expect(!tally.isWhole || story.policy != nil, "told before the admission: \(event)")
    let wasOver = story.isOver
    let isInOrder = apply(event, to: &story, &coverage)
    if story.policy != nil {
      let admitted = event.atMilliseconds - min(event.ageMilliseconds, event.atMilliseconds)
      expect(admitted == story.admittedMilliseconds, "the age is wrong: \(event)")
      expect(!tally.isWhole || isInOrder && !wasOver, "out of order: \(event), of \(stories[generation])")
      checkText(event, text, story)
    }
    stories[generation] = story
    if case .followed(let newer) = event.kind { follow(newer, event) }
  }

  /// One more waits for a newer task.
  private mutating func follow(_ newer: UInt64, _ event: TaskEvent) {
    expect(newer > event.generation, "followed to what is older: \(event)")
    while stories.count <= newer { stories.append(TaskStory()) }
    // An answer's event comes before the events of the tasks that it supersedes.
    if stories[Int(newer)].hasEnded { tally.results += 1 }
    stories[Int(newer)].callers += 1
    stories[Int(newer)].hadCallers = true
  }

  /// A part of a story is told by the same events, and none of them twice.
  private mutating func apply(
    _ event: TaskEvent, to story: inout TaskStory, _ coverage: inout Coverage
  ) -> Bool {
    switch event.kind {
    case .admitted, .rejected: return false
    case .joined:
      tally.joined += 1
      return story.join()
    case .followed:
      tally.followed += 1
      return story.follow()
    case .sent:
      expect(!story.isSent, "sent twice: \(event)")
      tally.sent += 1
      tally.queueingMilliseconds += event.ageMilliseconds
      return story.send()
    case .refused(let reason, let policy, let effect, let goesOn):
      count(reason)
      checkPolicy(policy, reason, event, story, &coverage)
      if effect == .notSent && story.isSent { coverage.count(.toldNotSentAfterAll) }
      return story.refuse(reason, effect, goesOn: goesOn)
    case .abandoned:
      tally.abandoned += 1
      return story.abandon()
    case .firstPiece: return story.isSent
    case .cancelSent:
      expect(!story.isCancelSent, "cancelled twice: \(event)")
      tally.cancelSent += 1
      return story.cancel()
    case .answered(let isError):
      tally.answered += 1
      let callers = UInt64(clamping: story.callers)
      if isError { tally.errors += callers } else { tally.results += callers }
      return story.answer()
    case .ended(let ending):
      tally.ended += 1
      if !story.isSent {
        tally.unsentNotifications += 1
        if tally.isWhole { coverage.count(.toldUnsentNotification) }
      }
      if story.isSent && story.isUnheard { tally.undelivered += 1 }
      return story.end(ending)
    }
  }

  private mutating func count(_ reason: Refusal.Reason) {
    switch reason {
    case .superseded, .contentModified: tally.superseded += 1
    case .cancelled: tally.cancelled += 1
    case .deadlineExceeded: tally.expired += 1
    case .upstreamUnavailable, .badAnswer, .shuttingDown, .unread: tally.failed += 1
    }
  }

  /// The policy is that of whatever superseded the task, or else its own.
  private func checkPolicy(
    _ policy: DuplicatePolicy, _ reason: Refusal.Reason, _ event: TaskEvent, _ story: TaskStory,
    _ coverage: inout Coverage
  ) {
    guard tally.isWhole else { return }
    var wanted = story.policy
    if case .superseded(let newer) = reason {
      expect(newer > event.generation && newer < UInt64(stories.count), "superseded by none: \(event)")
      guard newer < UInt64(stories.count) else { return }
      wanted = stories[Int(newer)].policy
      let isAnswered = stories[Int(newer)].hasEnded
      if isAnswered { coverage.count(.toldByAnswer) }
      expect(!isAnswered || policy == .onAnswer, "superseded by what has ended: \(event)")
    }
    // What may have to be undone is waited for.
    let isStricter = wanted == .cancel && policy == .cancelAndWait
    expect(policy == wanted || isStricter, "not by \(wanted?.name ?? ""): \(event)")
  }

  private func checkText(_ event: TaskEvent, _ text: [UInt8], _ story: TaskStory) {
    guard case .refused = event.kind else { return }
    expect(text[event.key].elementsEqual(story.key), "the key is another's: \(event)")
    let method = text[event.method]
    expect(method.isEmpty || method.elementsEqual(story.method), "the method is another's: \(event)")
  }
}

extension Coverage {
  mutating func count(_ kind: TaskEvent.Kind) {
    switch kind {
    // A client whose own upstream is gone is not read any more: none of its requests is refused for that.
    case .rejected(_, .upstreamUnavailable): break
    case .admitted, .sent, .firstPiece, .abandoned, .refused(_, _, _, taskGoesOn: false): break
    case .refused(_, _, _, taskGoesOn: true): count(.toldGoesOn)
    case .joined: count(.toldJoined)
    case .followed: count(.toldFollowed)
    case .rejected(_, .busy): count(.toldRejectedBusy)
    case .rejected(_, .overloaded): count(.toldRejectedOverloaded)
    case .rejected(_, .shuttingDown): count(.toldRejectedShuttingDown)
    case .rejected(_, .overtaken): count(.toldRejectedOvertaken)
    case .cancelSent: count(.toldCancelSent)
    case .answered(isError: false): count(.toldAnswered)
    case .answered(isError: true): count(.toldError)
    case .ended(.silent): count(.toldSilent)
    case .ended(.succeeded): count(.toldSucceeded)
    case .ended(.failed): count(.toldFailed)
    }
  }
}
