/// The requests that the bundled upstream works on, by time and by id.
struct UpstreamJobs {
  private struct Name: Hashable {
    var conversation: Int
    var id: UInt64
  }

  private var slots: [UpstreamJob?] = []
  private var free: [Int] = []
  private var places: [Name: Int] = [:]
  /// Entries of jobs that are gone are skipped when their time comes; the slot's job then has another time.
  private var times = TimeHeap()

  var count: Int { places.count }
  var nextDueNanoseconds: UInt64? { times.first?.nanoseconds }

  /// The same id a second time, while the first is worked on, takes its place with those who ask for it by id.
  mutating func insert(_ job: UpstreamJob) {
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(nil) }
    slots[slot] = job
    places[Name(conversation: job.conversation, id: job.id)] = slot
    times.insert(slot, at: job.dueNanoseconds)
  }

  mutating func remove(_ id: UInt64, of conversation: Int) -> UpstreamJob? {
    guard let slot = places.removeValue(forKey: Name(conversation: conversation, id: id)) else { return nil }
    return empty(slot)
  }

  mutating func removeAll(of conversation: Int) -> [UpstreamJob] {
    let names = places.keys.filter { $0.conversation == conversation }
    return names.compactMap { remove($0.id, of: conversation) }
  }

  /// The next one whose time has come.
  mutating func removeDue(at nanoseconds: UInt64) -> UpstreamJob? {
    while let first = times.first, first.nanoseconds <= nanoseconds {
      _ = times.removeFirst()
      guard let job = slots[first.number], job.dueNanoseconds == first.nanoseconds else { continue }
      let name = Name(conversation: job.conversation, id: job.id)
      if places[name] == first.number { places[name] = nil }
      return empty(first.number)
    }
    return nil
  }

  private mutating func empty(_ slot: Int) -> UpstreamJob? {
    let job = slots[slot]
    slots[slot] = nil
    free.append(slot)
    return job
  }
}
