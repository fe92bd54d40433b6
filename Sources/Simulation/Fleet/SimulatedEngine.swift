import Fleet

/// The records of a fleet, as etcd keeps them: one transaction after the other.
struct SimulatedEngine {
  let cluster: UInt64 = 7
  private(set) var revision: Int64 = 1
  /// All that was ever written, in its order: what watches tell.
  private(set) var changes: [EngineChange] = []
  private var records: [EngineKey: EngineRecord] = [:]
  /// Keys in the order in which they were first written, so that no dictionary's order decides anything.
  private var keys: [EngineKey] = []
  /// A partition's epoch that was not higher than the one before.
  private(set) var complaint: String?

  var header: EngineHeader { EngineHeader(cluster: cluster, revision: revision) }

  var all: [(key: EngineKey, record: EngineRecord)] {
    keys.compactMap { key in records[key].map { (key, $0) } }
  }

  func knows(_ member: MemberID) -> Bool { records[.member(member)] != nil }

  func partition(_ number: Int) -> PartitionRecord? {
    guard case .partition(let record)? = records[.partition(number)]?.value else { return nil }
    return record
  }

  mutating func handle(_ body: EngineRequest.Body) -> EngineAnswer {
    switch body {
    case .read(let key): return .record(records[key])
    case .transaction(let transaction):
      guard transaction.conditions.allSatisfy(holds) else { return .refused }
      revision += 1
      for write in transaction.writes { perform(write) }
      return .applied(revision)
    }
  }

  private func holds(_ condition: EngineCondition) -> Bool {
    switch condition {
    case .revision(let key, let revision): (records[key]?.revision ?? 0) == revision
    case .exists(let key): records[key] != nil
    }
  }

  private mutating func perform(_ write: EngineWrite) {
    switch write {
    case .put(let key, let value):
      if case .partition(let number) = key, case .partition(let record) = value,
        let before = partition(number), before.epoch >= record.epoch
      {
        complaint = "partition \(number) got epoch \(record.epoch) after \(before.epoch)"
      }
      if records[key] == nil, !keys.contains(key) { keys.append(key) }
      records[key] = EngineRecord(value, revision: revision)
      changes.append(EngineChange(key, records[key], revision: revision))
    case .delete(let key):
      records[key] = nil
      changes.append(EngineChange(key, nil, revision: revision))
    }
  }
}
