import HotData

// Callers that follow: whose task is superseded, they wait for the newer one's answer.
extension TaskStore {
  /// Whether a caller that would follow has come to this lane since it holds tasks.
  @inlinable
  package func isFollowed(_ key: TaskKey) -> Bool { isFollowedLane(key.index) }

  @usableFromInline
  func isFollowedLane(_ key: Int32) -> Bool { key < lanes.count && lanes[key].isFollowed }

  /// The kind of the last task in this slot that had one.
  package func kind(inSlot number: Int) -> Int32 { following[Int32(truncatingIfNeeded: number)].kind }

  /// Whether a caller of a task that a request would supersede gets an error by that. One of more callers than a task
  /// may have does, too, which is not foreseen.
  package func leaves(_ waiter: WaiterID, whenSupersededBy request: Admission) -> Bool {
    let slot = waiters[waiter.index].task
    return !mayFollow(slot, to: request) || !isFollower(waiter.index, of: slot)
  }

  /// A request is of a kind, and so is its task from now on.
  mutating func noteKind(of slot: Int32, _ request: Admission, in key: TaskKey) {
    while following.count <= slot { following.append(Following(kind: 0)) }
    if !tasks[slot].hasKind {
      tasks[slot].hasKind = true
      following[slot] = Following(kind: request.kind)
    }
    if request.follows { lanes[key.index].becomeFollowed() }
  }

  /// Its newest caller follows, or does not.
  mutating func noteCaller(_ waiter: Int32, of slot: Int32, follows: Bool) {
    guard waiter != 0, follows || following[slot].knowsFollowers else { return }
    knowFollowers(of: slot)
    followers[waiter] = Follower(follows: follows)
  }

  /// From now on it is known of each of a task's callers whether it follows: none of those so far does, unless it is
  /// known already.
  private mutating func knowFollowers(of slot: Int32) {
    while followers.count < Int32(waiters.endSlot) { followers.append(Follower()) }
    guard !following[slot].knowsFollowers else { return }
    following[slot].knowsFollowers = true
    var waiter = tasks[slot].firstWaiter
    while waiter != 0 {
      followers[waiter] = Follower()
      waiter = waiters[waiter].next
    }
  }

  private func isFollower(_ waiter: Int32, of slot: Int32) -> Bool {
    following[slot].knowsFollowers && followers[waiter].follows && !isLate(waiter)
  }

  /// Its time is over, though its timer has not had its turn: what comes of a newer task comes too late for it.
  private func isLate(_ waiter: Int32) -> Bool {
    deadlines.state(of: waiter).dueMilliseconds <= nowMilliseconds
  }

  // MARK: Who may follow whom

  private func mayFollow(_ slot: Int32, to request: Admission) -> Bool {
    tasks[slot].hasKind && !request.isNotification && following[slot].kind == request.kind
      && !following[slot].hasGivenPiece
  }

  private func mayFollow(_ slot: Int32, to newer: Int32) -> Bool {
    guard tasks[slot].hasKind, tasks[newer].hasKind, !tasks[newer].isNotification else { return false }
    return following[slot].kind == following[newer].kind && !following[slot].hasGivenPiece
      && !following[newer].hasGivenPiece
  }

  /// A request that joins a task, as seen by callers who would follow to it. It has the kind of that task, or none once
  /// a piece of the answer was given: then nobody may follow.
  func followed(_ joined: Int32, by request: Admission) -> Admission {
    guard tasks[joined].hasKind else { return request }
    var request = request
    request.kind = following[joined].hasGivenPiece ? 0 : following[joined].kind
    return request
  }

  /// How many callers of other tasks may follow to a request's task. With `joined` it joins that task; with 0 it makes
  /// one.
  func roomForFollowers(joining joined: Int32) -> Int {
    limits.callersPerTask - 1 - (joined == 0 ? 0 : Int(tasks[joined].waiterCount))
  }

  /// Whether a caller of a task gets an error when a request supersedes it.
  /// - Parameter room: how many callers may follow; what is left of it.
  func leavesACaller(_ slot: Int32, whenSupersededBy request: Admission, room: inout Int) -> Bool {
    var waiter = tasks[slot].firstWaiter
    while waiter != 0 {
      if room <= 0 || leaves(WaiterID(index: waiter), whenSupersededBy: request) { return true }
      room -= 1
      waiter = waiters[waiter].next
    }
    return false
  }

  // MARK: What its own task came to

  /// A caller waits for a newer task from now on: something is kept of it, unless more was noted before.
  package mutating func note(_ mark: UInt8, of waiter: WaiterID, from older: TaskID, to newer: TaskID) {
    let before = self.mark(of: waiter, waitingFor: older) ?? 0
    followers[waiter.index].followed = (newer, max(mark, before))
  }

  /// The most of what was noted of a caller on its way to this task; nil: it did not follow to that.
  package func mark(of waiter: WaiterID, waitingFor task: TaskID) -> UInt8? {
    guard waiter.index < followers.count, let followed = followers[waiter.index].followed else { return nil }
    return followed.task == task ? followed.mark : nil
  }

  // MARK: Superseding

  /// Nobody waits for a task any more: it is cancelled, or a newer one takes its place, and callers who follow wait for
  /// that from now on.
  /// - Parameter newer: 0: there is none.
  mutating func endCallers(of slot: Int32, by newer: Int32, effects: inout TaskEffects) {
    if newer == 0 { return refuseAll(slot, .cancelled, effects: &effects) }
    var refusal = refusal(.superseded(by: tasks[newer].generation), of: slot)
    refusal.policy = tasks[newer].policy
    guard mayFollow(slot, to: newer), following[slot].knowsFollowers else {
      return forEachWaiter(of: slot) { effects.append(.refuse($0, refusal)) }
    }
    let late = self.refusal(.deadlineExceeded, of: slot)
    knowFollowers(of: newer)
    var waiter = takeWaiters(of: slot)
    while waiter != 0 {
      let next = waiters[waiter].next
      let hasRoom = tasks[newer].waiterCount < limits.callersPerTask
      if followers[waiter].follows && isLate(waiter) {
        forget(waiter)
        effects.append(.refuse(WaiterID(index: waiter), late))
      } else if followers[waiter].follows && hasRoom {
        link(waiter, to: newer)
        effects.append(.follow(WaiterID(index: waiter), from: id(of: slot), to: id(of: newer)))
      } else {
        forget(waiter)
        effects.append(.refuse(WaiterID(index: waiter), refusal))
      }
      waiter = next
    }
  }
}
