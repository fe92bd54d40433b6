import TaskStore
import Testing

/// Every history on one key, against the model and the invariants.
@Suite struct ModelCheckTests {
  /// One thing that is not as usual.
  enum Variant: CaseIterable {
    case endsOnCancel, noDrainGrace, oneOrphan, oneQueued, twoQueued, twoTasks, oneCaller, twoCallers
    case oneLive, twoLive, twoLiveAndStale, twoLiveAndDebounced
    case shortDeadlines, noTimeAtAll, shortOrphans, everythingSmall
    case debounced, debouncedInBursts, joiningIdentical, joiningAlways, joiningNever, joiningFewCallers
    case joiningInPairs
    case stale, staleAndEndsOnCancel, staleAndJoining, staleAndDebounced
    case compensated, compensatedBriefly, compensatedAndOneOrphan
    case twoRunning, twoRunningAndOneOrphan, twoRunningAndOneQueued, twoRunningAndDebounced,
      twoRunningAndJoining
    case pieces, piecesAndTwoRunning, following, followingWithPieces, followingInPairs, followingFewCallers,
      followingAndJoining, followingDebounced, followingShortDeadlines
  }

  @Test func `all histories of seven events go as the model says`() {
    check(AllHistories(), depth: 7)
  }

  @Test(arguments: Variant.allCases)
  func `all histories of five events go as the model says, whatever is unusual`(variant: Variant) {
    var histories = AllHistories()
    apply(variant, to: &histories)
    check(histories, depth: 5)
  }

  private func check(_ histories: AllHistories, depth: Int) {
    var histories = histories
    guard let failure = histories.walk(depth: depth) else { return }
    let shrinking = Shrinking(limits: histories.limits)
    let history = shrinking.shortest(failure.history)
    let test = PastedTest(history: history, limits: histories.limits, complaint: failure.complaint)
    Issue.record("\(test.text)")
  }

  private func apply(_ variant: Variant, to histories: inout AllHistories) {
    switch variant {
    case .endsOnCancel: histories.template.endsOnCancel = true
    case .noDrainGrace: histories.template.drainMilliseconds = 0
    case .oneOrphan: histories.limits.orphansPerLane = 1
    case .oneQueued: histories.limits.queuePerLane = 1
    case .twoQueued: histories.limits.queuePerLane = 2
    case .oneLive: histories.limits.tasksPerLane = 1
    case .twoLive: histories.limits.tasksPerLane = 2
    case .twoLiveAndStale:
      histories.limits.tasksPerLane = 2
      histories.template.maxStaleMilliseconds = 1_000
    case .twoLiveAndDebounced:
      histories.limits.tasksPerLane = 2
      histories.template.debounceMilliseconds = 700
    case .twoTasks: histories.limits.tasks = 2
    case .oneCaller: histories.limits.waiters = 1
    case .twoCallers: histories.limits.waiters = 2
    case .shortDeadlines: histories.template.timeoutMilliseconds = 3_000
    case .noTimeAtAll: histories.template.timeoutMilliseconds = 0
    case .shortOrphans: histories.limits.orphanMilliseconds = 1
    case .everythingSmall: makeEverythingSmall(&histories.limits)
    case .debounced: histories.template.debounceMilliseconds = 700
    case .debouncedInBursts:
      histories.template.debounceMilliseconds = 700
      histories.template.maxWaitMilliseconds = 1_000
    case .joiningIdentical: joinIdentical(&histories.template)
    case .joiningAlways:
      histories.template.join = .always
      histories.template.hasTheSameMethod = true
    case .joiningNever: histories.template.join = .never
    case .joiningFewCallers:
      joinIdentical(&histories.template)
      histories.limits.waiters = 2
    case .joiningInPairs:
      joinIdentical(&histories.template)
      histories.limits.callersPerTask = 2
    case .stale: histories.template.maxStaleMilliseconds = 100
    case .staleAndEndsOnCancel:
      histories.template.maxStaleMilliseconds = 100
      histories.template.endsOnCancel = true
    case .staleAndJoining:
      histories.template.maxStaleMilliseconds = 100
      joinIdentical(&histories.template)
    case .staleAndDebounced:
      histories.template.maxStaleMilliseconds = 100
      histories.template.debounceMilliseconds = 700
    case .compensated: histories.template.isCompensated = true
    case .compensatedBriefly:
      histories.template.isCompensated = true
      histories.template.drainMilliseconds = 0
      histories.limits.orphanMilliseconds = 1
      histories.limits.compensationMilliseconds = 1
    case .compensatedAndOneOrphan:
      histories.template.isCompensated = true
      histories.limits.orphansPerLane = 1
    case .twoRunning: histories.template.maxRunning = 2
    case .twoRunningAndOneOrphan:
      histories.template.maxRunning = 2
      histories.limits.orphansPerLane = 1
    case .twoRunningAndOneQueued:
      histories.template.maxRunning = 2
      histories.limits.queuePerLane = 1
    case .twoRunningAndDebounced:
      histories.template.maxRunning = 2
      histories.template.debounceMilliseconds = 700
    case .twoRunningAndJoining:
      histories.template.maxRunning = 2
      joinIdentical(&histories.template)
    case .pieces: histories.hasPieces = true
    case .piecesAndTwoRunning:
      histories.hasPieces = true
      histories.template.maxRunning = 2
    case .following: follow(&histories.template)
    case .followingWithPieces:
      follow(&histories.template)
      histories.hasPieces = true
    case .followingInPairs:
      follow(&histories.template)
      histories.limits.callersPerTask = 2
    case .followingFewCallers:
      follow(&histories.template)
      histories.limits.waiters = 2
    case .followingAndJoining:
      follow(&histories.template)
      joinIdentical(&histories.template)
    case .followingDebounced:
      follow(&histories.template)
      histories.template.debounceMilliseconds = 700
    case .followingShortDeadlines:
      follow(&histories.template)
      histories.template.timeoutMilliseconds = 3_000
    }
  }

  private func joinIdentical(_ template: inout Request) {
    template.join = .identical
    template.asksTheSame = true
  }

  private func follow(_ template: inout Request) {
    template.kind = 1
    template.follows = true
  }

  private func makeEverythingSmall(_ limits: inout StoreLimits) {
    limits.tasks = 3
    limits.waiters = 2
    limits.queuePerLane = 1
    limits.orphansPerLane = 1
  }
}
