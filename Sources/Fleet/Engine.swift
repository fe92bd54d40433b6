// What a fleet needs of the engine that keeps its records, as etcd has it: each write gets the next revision, each record
// has that of its last write, and a transaction writes all it says, or nothing where one of its conditions does not hold.

package enum EngineKey: Hashable, Sendable {
  case member(MemberID)
  case partition(Int)
}

/// A member says that it lives by counting its beats.
package struct MemberRecord: Hashable, Sendable {
  /// Where other members reach it.
  package var address: String
  package var beat: UInt64
  /// It gives its partitions away, and wants no others.
  package var isLeaving: Bool

  package init(address: String, beat: UInt64, isLeaving: Bool) {
    self.address = address
    self.beat = beat
    self.isLeaving = isLeaving
  }
}

/// Whose a partition is. Each time that somebody gets it, its epoch is one higher.
package struct PartitionRecord: Hashable, Sendable {
  package var owner: MemberID
  package var epoch: UInt32
  /// Nothing is at work any more that an earlier owner started. Else some of it may be: it died, or gave the partition
  /// away before it could know that of its own predecessor's.
  package var isExclusive: Bool

  package init(owner: MemberID, epoch: UInt32, isExclusive: Bool = true) {
    self.owner = owner
    self.epoch = epoch
    self.isExclusive = isExclusive
  }
}

package enum EngineValue: Hashable, Sendable {
  case member(MemberRecord)
  case partition(PartitionRecord)
}

package struct EngineRecord: Hashable, Sendable {
  package var value: EngineValue
  package var revision: Int64

  package init(_ value: EngineValue, revision: Int64) {
    self.value = value
    self.revision = revision
  }
}

package enum EngineCondition: Hashable, Sendable {
  /// The record was last written by this revision; 0: it is not there.
  case revision(EngineKey, Int64)
  case exists(EngineKey)
}

package enum EngineWrite: Hashable, Sendable {
  case put(EngineKey, EngineValue)
  case delete(EngineKey)
}

package struct EngineTransaction: Hashable, Sendable {
  /// All of them have to hold.
  package var conditions: [EngineCondition]
  package var writes: [EngineWrite]

  package init(conditions: [EngineCondition], writes: [EngineWrite]) {
    self.conditions = conditions
    self.writes = writes
  }
}

/// What a member asks of the engine. It is told what came of it under the number.
package struct EngineRequest: Sendable {
  package enum Body: Sendable {
    case transaction(EngineTransaction)
    case read(EngineKey)
  }

  package let number: UInt64
  package let body: Body
}

package enum EngineAnswer: Sendable {
  /// What the transaction writes has this revision.
  case applied(Int64)
  /// One of its conditions does not hold.
  case refused
  /// What was read; nil: it is not there.
  case record(EngineRecord?)
  /// There was no answer: it may have been applied, or be so later.
  case unknown
}

/// What every answer of an engine says of itself.
package struct EngineHeader: Sendable {
  package let cluster: UInt64
  /// The last that it has given, when it answered.
  package let revision: Int64

  package init(cluster: UInt64, revision: Int64) {
    self.cluster = cluster
    self.revision = revision
  }
}

/// A record has been written, or deleted: then there is none any more. A watch tells of these in the order of revisions.
package struct EngineChange: Sendable {
  package let key: EngineKey
  package let record: EngineRecord?
  package let revision: Int64

  package init(_ key: EngineKey, _ record: EngineRecord?, revision: Int64) {
    self.key = key
    self.record = record
    self.revision = revision
  }
}
