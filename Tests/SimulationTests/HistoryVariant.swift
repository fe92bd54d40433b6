import TaskStore

/// One thing that is not as usual.
enum HistoryVariant: CaseIterable {
  case endsOnCancel, noDrainGrace, oneOrphan, oneQueued, twoQueued, twoTasks, oneCaller, twoCallers
  case oneLive, twoLive, twoLiveAndStale, twoLiveAndDebounced, twoLiveAndJoining, twoLiveAndFollowing
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

extension AllHistories {
  init(_ variant: HistoryVariant) {
    self.init()
    apply(variant)
  }

  private mutating func apply(_ variant: HistoryVariant) {
    switch variant {
    case .endsOnCancel: template.endsOnCancel = true
    case .noDrainGrace: template.drainMilliseconds = 0
    case .oneOrphan: limits.orphansPerLane = 1
    case .oneQueued: limits.queuePerLane = 1
    case .twoQueued: limits.queuePerLane = 2
    case .oneLive: limits.tasksPerLane = 1
    case .twoLive: limits.tasksPerLane = 2
    case .twoLiveAndStale:
      limits.tasksPerLane = 2
      template.maxStaleMilliseconds = 1_000
    case .twoLiveAndDebounced:
      limits.tasksPerLane = 2
      template.debounceMilliseconds = 700
    case .twoLiveAndJoining:
      joinIdentical()
      limits.tasksPerLane = 2
    case .twoLiveAndFollowing:
      follow()
      joinIdentical()
      limits.tasksPerLane = 2
    case .twoTasks: limits.tasks = 2
    case .oneCaller: limits.waiters = 1
    case .twoCallers: limits.waiters = 2
    case .shortDeadlines: template.timeoutMilliseconds = 3_000
    case .noTimeAtAll: template.timeoutMilliseconds = 0
    case .shortOrphans: limits.orphanMilliseconds = 1
    case .everythingSmall: makeEverythingSmall()
    case .debounced: template.debounceMilliseconds = 700
    case .debouncedInBursts:
      template.debounceMilliseconds = 700
      template.maxWaitMilliseconds = 1_000
    case .joiningIdentical: joinIdentical()
    case .joiningAlways:
      template.join = .always
      template.hasTheSameMethod = true
    case .joiningNever: template.join = .never
    case .joiningFewCallers:
      joinIdentical()
      limits.waiters = 2
    case .joiningInPairs:
      joinIdentical()
      limits.callersPerTask = 2
    case .stale: template.maxStaleMilliseconds = 100
    case .staleAndEndsOnCancel:
      template.maxStaleMilliseconds = 100
      template.endsOnCancel = true
    case .staleAndJoining:
      template.maxStaleMilliseconds = 100
      joinIdentical()
    case .staleAndDebounced:
      template.maxStaleMilliseconds = 100
      template.debounceMilliseconds = 700
    case .compensated: template.isCompensated = true
    case .compensatedBriefly:
      template.isCompensated = true
      template.drainMilliseconds = 0
      limits.orphanMilliseconds = 1
      limits.compensationMilliseconds = 1
    case .compensatedAndOneOrphan:
      template.isCompensated = true
      limits.orphansPerLane = 1
    case .twoRunning: template.maxRunning = 2
    case .twoRunningAndOneOrphan:
      template.maxRunning = 2
      limits.orphansPerLane = 1
    case .twoRunningAndOneQueued:
      template.maxRunning = 2
      limits.queuePerLane = 1
    case .twoRunningAndDebounced:
      template.maxRunning = 2
      template.debounceMilliseconds = 700
    case .twoRunningAndJoining:
      template.maxRunning = 2
      joinIdentical()
    case .pieces: hasPieces = true
    case .piecesAndTwoRunning:
      hasPieces = true
      template.maxRunning = 2
    case .following: follow()
    case .followingWithPieces:
      follow()
      hasPieces = true
    case .followingInPairs:
      follow()
      limits.callersPerTask = 2
    case .followingFewCallers:
      follow()
      limits.waiters = 2
    case .followingAndJoining:
      follow()
      joinIdentical()
    case .followingDebounced:
      follow()
      template.debounceMilliseconds = 700
    case .followingShortDeadlines:
      follow()
      template.timeoutMilliseconds = 3_000
    }
  }

  private mutating func joinIdentical() {
    template.join = .identical
    template.asksTheSame = true
  }

  private mutating func follow() {
    template.kind = 1
    template.follows = true
  }

  private mutating func makeEverythingSmall() {
    limits.tasks = 3
    limits.waiters = 2
    limits.queuePerLane = 1
    limits.orphansPerLane = 1
  }
}
