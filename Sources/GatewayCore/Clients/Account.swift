import HotData
import TaskStore

/// What one client may be charged for: whatever it had admitted counts for it for as long as that lasts, if need be
/// longer than its connection.
struct Account {
  /// The slot of its connection; -1: that is gone.
  @Compact var client: Int
  /// Tasks that have not ended: queued, running, draining and orphaned.
  @Compact var tasks = 0
  /// What these ask, as far as it is kept.
  var requestBytes = 0
  /// Notifications that upstream has not been sent, oldest first.
  var unsentNotifications = SlotRing()
  /// Tasks that may drain for longer than the operator has it, as their client says: while that is there.
  var patientTasks = SlotRing()

  init(client: Int) { self.client = client }

  /// Nothing is left to charge anybody for.
  var isOver: Bool { client < 0 && tasks == 0 }

  /// A task has ended; returns whether that was the last there is to charge anybody for.
  @inline(__always)
  fileprivate mutating func discharge() -> Bool {
    tasks &-= 1
    return isOver
  }
}

/// All accounts, by number; those that are over are used again.
struct AccountTable: ~Copyable {
  private var accounts = SlotArray(empty: Account(client: -1), count: 0)
  private var free: [Int] = []

  /// Those in use.
  var count: Int { accounts.count - free.count }
  /// Of those, too, that are over: nothing counts for them.
  var indices: Range<Int> { accounts.indices }

  subscript(account: Int) -> Account {
    @inline(__always) _read { yield accounts[account] }
    @inline(__always) _modify { yield &accounts[account] }
  }

  /// A new one; its connection has no number yet.
  mutating func open() -> Int {
    if let account = free.popLast() { return account }
    accounts.reach(accounts.count)
    return accounts.count - 1
  }

  /// Nothing of it is left to charge anybody for.
  mutating func close(_ account: Int) {
    accounts[account] = Account(client: -1)
    free.append(account)
  }
}

extension GatewayCore {
  // MARK: What counts for whom

  @inline(never)
  mutating func noteUnsent(_ task: Int, of account: Int) {
    calls[task].isUnsentNotification = true
    accountLinks.append(task, to: &accounts[account].unsentNotifications)
  }

  /// A task was admitted that asks so much.
  @inline(__always)
  mutating func charge(_ account: Int, byteCount: Int) {
    accounts[account].tasks &+= 1
    count(requestBytes: byteCount, of: account)
  }

  /// A task has ended that asked so much.
  @inline(__always)
  mutating func discharge(_ account: Int, byteCount: Int) {
    count(requestBytes: -byteCount, of: account)
    if accounts[account].discharge() { accounts.close(account) }
  }

  /// A notification is sent, or never will be.
  @inline(never)
  mutating func strikeNotification(_ task: Int) {
    let account = calls[task].account
    calls[task].isUnsentNotification = false
    accountLinks.remove(task, from: &accounts[account].unsentNotifications)
    let client = accounts[account].client
    // One that sends no more has waited for that.
    guard client >= 0, clients[client].hasEnded, accounts[account].unsentNotifications.isEmpty else { return }
    markDirty(client)
    hasSettled = true
  }

  /// Tasks that a connection had admitted and that have not ended.
  package func taskCount(of client: ClientID) -> Int { accounts[clients[client.slot].account].tasks }

  /// Takes a task that is no more out of its account's lists.
  @inline(never)
  mutating func strike(_ task: Int) {
    if calls[task].isUnsentNotification { strikeNotification(task) }
    if calls[task].isPatient { strikePatient(task) }
  }

  // MARK: Draining for longer

  /// A task may drain as long as its client says, while that is there.
  @inline(never)
  mutating func noteDrain(of task: Int, _ admission: Admission, _ route: Int) {
    let usual = intents.usualDrainMilliseconds(route, of: router)
    guard admission.drainMilliseconds > usual else { return }
    calls[task].isPatient = true
    usualDrains.reach(task)
    usualDrains[task] = usual
    patientLinks.append(task, to: &accounts[calls[task].account].patientTasks)
  }

  @inline(never)
  mutating func strikePatient(_ task: Int) {
    calls[task].isPatient = false
    patientLinks.remove(task, from: &accounts[calls[task].account].patientTasks)
  }

  /// Its client is gone: what it asked for drains as long as the operator has it.
  mutating func endPatience(of account: Int) {
    while !accounts[account].patientTasks.isEmpty {
      let slot = patientLinks.first(of: accounts[account].patientTasks)
      strikePatient(slot)
      workBytes += Self.bytesPerEndedRequest
      guard let task = store.task(inSlot: slot) else { continue }
      store.leftBehind(task, drainMilliseconds: usualDrains[slot], effects: &effects)
      performEffects()
    }
  }

  // MARK: Leaving

  /// A connection leaves all its tasks. That is one event, so that nothing of it starts because something else of it has
  /// ended.
  mutating func leaveTasks(of client: Int) {
    let account = clients[client].account
    var waiters: [WaiterID] = []
    while !clients[client].openRequests.isEmpty {
      let waiter = clients[client].openRequests.newest
      counters.abandoned += 1
      if journal.isOpen { note(.abandoned, store.task(of: waiter), of: client) }
      forgetCaller(waiter)
      waiters.append(waiter)
    }
    let notifications = accountLinks.slots(of: accounts[account].unsentNotifications).map { task(of: $0) }
    guard !(waiters.isEmpty && notifications.isEmpty) else { return }
    workBytes += (waiters.count + notifications.count) * Self.bytesPerEndedRequest
    store.disconnected(waiters, notifications, effects: &effects)
    performEffects()
  }

  /// Its connection is gone; what it left behind still counts.
  mutating func closeAccount(of client: Int) {
    let account = clients[client].account
    accounts[account].client = -1
    requestSizes.move(from: accounts[account].requestBytes, to: 0)
    if accounts[account].isOver { accounts.close(account) }
  }
}
