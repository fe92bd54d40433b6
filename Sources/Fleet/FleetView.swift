/// The members of a fleet and their partitions, as one member sees them. Its loops with clients go by this.
///
/// Each other member gets a small number, its place, as long as its record is there; a name that comes again is another
/// member.
package struct FleetView: Sendable {
  package enum News: Hashable, Sendable {
    case came(MemberID, place: Int, address: String)
    /// It has left, or has been declared dead: nothing that it says counts any more.
    case gone(MemberID, place: Int)
    /// Somebody has a partition.
    /// - Parameter place: nil: there is no such member.
    case partition(Int, owner: MemberID, place: Int?, epoch: UInt32)
  }

  package struct Member: Sendable {
    package let id: MemberID
    package let place: Int
    package var record: MemberRecord
  }

  private let places: Range<Int>
  /// In the order in which they came.
  package private(set) var members: [Member] = []
  /// By partition; nil: nobody has ever had it.
  package private(set) var partitions: [PartitionRecord?]
  private var news: [News] = []

  /// - Parameter places: the numbers that others get.
  package init(partitions: Int, places: Range<Int>) {
    self.places = places
    self.partitions = [PartitionRecord?](repeating: nil, count: partitions)
  }

  package mutating func takeNews() -> [News] {
    defer { news = [] }
    return news
  }

  /// All that there is; the watch goes on behind it.
  package mutating func sawAll(_ records: [(key: EngineKey, record: EngineRecord)]) {
    let known = Set(records.map(\.key))
    for member in members where !known.contains(.member(member.id)) { forget(member.id) }
    for (key, record) in records { saw(EngineChange(key, record, revision: record.revision)) }
  }

  package mutating func saw(_ change: EngineChange) {
    switch (change.key, change.record?.value) {
    case (.member(let id), .member(let record)?): note(id, record)
    case (.member(let id), nil): forget(id)
    case (.partition(let number), .partition(let record)?): note(record, of: number)
    case (.member, _), (.partition, _): break
    }
  }

  private mutating func note(_ id: MemberID, _ record: MemberRecord) {
    if let index = members.firstIndex(where: { $0.id == id }) {
      members[index].record = record
      return
    }
    guard let place = places.first(where: { place in !members.contains { $0.place == place } }) else {
      return
    }
    members.append(Member(id: id, place: place, record: record))
    news.append(.came(id, place: place, address: record.address))
    // What it has may have been known before itself.
    for (number, record) in partitions.enumerated() {
      if let record, record.owner == id { tell(record, number) }
    }
  }

  private mutating func forget(_ id: MemberID) {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return }
    let member = members.remove(at: index)
    news.append(.gone(id, place: member.place))
  }

  private mutating func note(_ record: PartitionRecord, of number: Int) {
    guard partitions.indices.contains(number) else { return }
    if let before = partitions[number], before.epoch >= record.epoch { return }
    partitions[number] = record
    tell(record, number)
  }

  private mutating func tell(_ record: PartitionRecord, _ number: Int) {
    let place = members.first { $0.id == record.owner }?.place
    news.append(.partition(number, owner: record.owner, place: place, epoch: record.epoch))
  }
}
