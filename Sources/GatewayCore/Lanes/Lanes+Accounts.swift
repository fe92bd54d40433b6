import HotData
import JSONRPC
import TaskStore

/// The accounts of connections, and what counts in each.
extension Lanes {
  mutating func openAccount() -> Int { accounts.open() }
  mutating func give(_ account: Int, to client: Int) { accounts[account].client = client }
  /// Tasks that a connection had admitted and that have not ended.
  func taskCount(of account: Int) -> Int { accounts[account].tasks }
  func requestByteCount(ofAccount account: Int) -> Int { accounts[account].requestBytes }

  @inline(never)
  mutating func noteUnsent(_ task: Int) {
    let account = requests[task].account
    requests[task].isUnsentNotification = true
    accountLinks.append(task, to: &accounts[account].unsentNotifications)
  }

  /// A task was admitted that asks so much.
  @inline(__always)
  mutating func charge(_ account: Int, byteCount: Int, isPrincipals: Bool) {
    accounts[account].tasks &+= 1
    countOwn(requestBytes: byteCount, of: account)
    if isPrincipals {
      count(tasks: 1, requestBytes: byteCount, ofPrincipal: accounts[account].principal)
    }
  }

  /// A task has ended that asked so much.
  @inline(__always)
  mutating func discharge(_ account: Int, byteCount: Int) {
    countOwn(requestBytes: -byteCount, of: account)
    if accounts[account].principal != 0 {
      count(tasks: -1, requestBytes: -byteCount, ofPrincipal: accounts[account].principal)
    }
    if accounts[account].discharge() { accounts.close(account) }
  }

  // MARK: Notifications that were not sent

  func unsentNotifications(of account: Int) -> [TaskID] {
    accountLinks.slots(of: accounts[account].unsentNotifications).map { task(of: $0) }
  }

  /// A notification is sent, or never will be. Returns its client, if that is there and has no other; else -1.
  @inline(never)
  mutating func strikeNotification(_ task: Int) -> Int {
    let account = requests[task].account
    requests[task].isUnsentNotification = false
    accountLinks.remove(task, from: &accounts[account].unsentNotifications)
    return accounts[account].unsentNotifications.isEmpty ? accounts[account].client : -1
  }

  // MARK: Draining for longer

  /// A task may drain as long as its client says, while that is there.
  /// - Parameter usual: as long as the operator has it.
  @inline(never)
  mutating func noteDrain(of task: Int, milliseconds: UInt32, usual: UInt32) {
    guard milliseconds > usual else { return }
    requests[task].hasLongDrain = true
    usualDrains.reach(task)
    usualDrains[task] = usual
    longDrainLinks.append(task, to: &accounts[requests[task].account].longDrains)
  }

  /// One of the tasks of a client that is gone drains as long as the operator has it; false: there is none.
  mutating func endLongDrains(of account: Int) -> Bool {
    guard !accounts[account].longDrains.isEmpty else { return false }
    let slot = longDrainLinks.first(of: accounts[account].longDrains)
    strikeLongDrain(slot)
    if let task = store.task(inSlot: slot) {
      store.leftBehind(task, drainMilliseconds: usualDrains[slot], effects: &effects)
    }
    return true
  }

  @inline(never)
  mutating func strikeLongDrain(_ task: Int) {
    requests[task].hasLongDrain = false
    longDrainLinks.remove(task, from: &accounts[requests[task].account].longDrains)
  }

  /// Its connection is gone; what it left behind still counts.
  mutating func closeAccount(_ account: Int) {
    accounts[account].client = -1
    requestSizes.move(from: accounts[account].requestBytes, to: 0)
    if accounts[account].isOver { accounts.close(account) }
  }
}
