import HotData

/// The highest `task.order` of each session for each of its keys, as long as an older request may still be on its way.
///
/// An entry is kept while it has a task, and for a while after that: then it is in the list of entries that may be
/// forgotten, and in its principal's list of these. Both lists are in the order of arrival.
struct OrderTable: ~Copyable {
  /// One key of one session.
  struct Name: Hashable {
    let session: SessionName
    let isShared: Bool
    /// Of the key's bytes, with a secret: a session could only choose two of its own that are taken for one.
    let keyHash: UInt64
  }

  struct Entry {
    var name: Name?
    @Compact var principal = 0
    /// That have not ended.
    @Compact var tasks = 0
    var highest: UInt64 = 0
    /// That of the task by which the request with it is, or was, answered.
    var generation: UInt64 = 0
    /// When its last task ended, or its last request came.
    var sinceMilliseconds: UInt64 = 0
  }

  /// One principal has one of so many places at most.
  static let principalPart = 4

  private var numbers: [Name: Int] = [:]
  /// From 1 on.
  private var entries = SlotArray(empty: Entry())
  private var free: [Int] = []
  private var idle = SlotList()
  private var idleLinks = SlotLinks()
  /// By principal.
  private var idleOfPrincipals = SlotArray(empty: SlotList(), count: 0)
  private var principalLinks = SlotLinks()
  private var counts = SlotArray(empty: 0, count: 0)
  /// By the task's slot: of which entry it is.
  private var ofTasks = SlotArray(empty: 0)

  var count: Int { numbers.count }

  /// The task that a newer request of this name asked for.
  /// - Returns: its generation; nil: there was no newer one, as far as is known.
  func newer(than order: UInt64, of name: Name, since milliseconds: UInt64) -> UInt64? {
    guard let number = numbers[name], entries[number].highest > order,
      entries[number].tasks > 0 || entries[number].sinceMilliseconds >= milliseconds
    else { return nil }
    return entries[number].generation
  }

  /// A request was admitted.
  /// - Parameters:
  ///   - generation: that of the task by which it will be answered.
  ///   - limit: so many entries may be kept.
  /// - Returns: the number of its entry.
  mutating func note(
    _ order: UInt64, of name: Name, _ generation: UInt64, principal: Int, limit: Int, at milliseconds: UInt64
  ) -> Int {
    let number = numbers[name] ?? add(name, principal: principal, limit: limit)
    if entries[number].tasks == 0 { moveToEnd(number) }
    entries[number].sinceMilliseconds = milliseconds
    guard order >= entries[number].highest else { return number }
    (entries[number].highest, entries[number].generation) = (order, generation)
    return number
  }

  /// A request that was just noted became a task.
  /// - Parameter number: of its entry.
  mutating func begin(_ slot: Int, of number: Int) {
    ofTasks.reach(slot)
    ofTasks[slot] = number
    if entries[number].tasks == 0 { removeFromLists(number) }
    entries[number].tasks += 1
  }

  /// A task of an entry has ended.
  mutating func end(_ slot: Int, at milliseconds: UInt64) {
    let number = ofTasks[slot]
    entries[number].tasks -= 1
    entries[number].sinceMilliseconds = milliseconds
    if entries[number].tasks == 0 { appendToLists(number) }
  }

  // MARK: Forgetting

  /// Since when the one that is forgotten next has had no task, and no request; the largest number: there is none.
  var oldestMilliseconds: UInt64 { idle.isEmpty ? .max : entries[idle.first].sinceMilliseconds }

  mutating func forgetOldest() {
    if !idle.isEmpty { forget(idle.first) }
  }

  /// Another principal will get its number; it has no task.
  mutating func forget(principal: Int) {
    guard idleOfPrincipals.indices.contains(principal) else { return }
    while !idleOfPrincipals[principal].isEmpty { forget(idleOfPrincipals[principal].first) }
  }

  /// Gives back what it grew to, as far as nothing is kept.
  mutating func giveBackMemory() {
    if count == 0 { self = OrderTable() }
  }

  private mutating func forget(_ number: Int) {
    guard let name = entries[number].name else { preconditionFailure("forgotten twice") }
    removeFromLists(number)
    counts[entries[number].principal] -= 1
    numbers[name] = nil
    entries[number] = Entry()
    free.append(number)
  }

  // MARK: Entries

  private mutating func add(_ name: Name, principal: Int, limit: Int) -> Int {
    makeRoom(for: principal, limit: limit)
    let number = free.popLast() ?? entries.count
    entries.reach(number)
    entries[number].name = name
    entries[number].principal = principal
    numbers[name] = number
    counts[principal] += 1
    appendToLists(number)
    return number
  }

  /// A principal with many entries makes room among its own. Entries with tasks stay; there are no more of them than
  /// tasks.
  private mutating func makeRoom(for principal: Int, limit: Int) {
    counts.reach(principal)
    idleOfPrincipals.reach(principal)
    if counts[principal] >= max(1, limit / Self.principalPart), !idleOfPrincipals[principal].isEmpty {
      forget(idleOfPrincipals[principal].first)
    }
    // A bound that a reload has lowered is reached step by step.
    var left = 2
    while count >= limit, left > 0, !idle.isEmpty {
      forget(idle.first)
      left -= 1
    }
  }

  private mutating func moveToEnd(_ number: Int) {
    removeFromLists(number)
    appendToLists(number)
  }

  private mutating func appendToLists(_ number: Int) {
    idleLinks.append(number, to: &idle)
    principalLinks.append(number, to: &idleOfPrincipals[entries[number].principal])
  }

  private mutating func removeFromLists(_ number: Int) {
    idleLinks.remove(number, from: &idle)
    principalLinks.remove(number, from: &idleOfPrincipals[entries[number].principal])
  }
}
