package import TaskStore

/// A request that was sent and is not answered yet, and all that the oracle needs to judge its reply.
package struct OpenRequest: Sendable {
  /// Rises from 1 over all connections; it is the request's id, too.
  package var number: UInt64
  package var connection: Int32
  /// Among the keys of its connection, or among all when they are shared.
  package var key: Int32
  package var policy: DuplicatePolicy?
  /// When it should have been sent, and when it was.
  package var intendedNanoseconds: UInt64
  package var sentNanoseconds: UInt64
  /// The first later request that supersedes it, and when that was sent; 0: there is none, as far as known.
  package var supersededBy: UInt64 = 0
  package var supersededNanoseconds: UInt64 = 0
  /// The newest request of the connection when this one was cancelled by its client, and when that was; 0: it was not.
  package var cancelledAfter: UInt64 = 0
  package var cancelledNanoseconds: UInt64 = 0
  /// How many pieces of its answer have come, and when the last one came.
  package var pieceCount: UInt64 = 0
  package var lastPieceNanoseconds: UInt64 = 0
  /// The next request of its connection and key whose policy supersedes; 0: there is none.
  var nextSuperseding: UInt64 = 0
  /// The open requests of its key before and after it that, like it, nothing has superseded; 0: there are none.
  var olderWanted: UInt64 = 0
  var newerWanted: UInt64 = 0

  package init(
    number: UInt64, connection: Int, key: Int, policy: DuplicatePolicy?, intendedNanoseconds: UInt64 = 0,
    sentNanoseconds: UInt64 = 0
  ) {
    self.number = number
    self.connection = Int32(connection)
    self.key = Int32(key)
    self.policy = policy
    self.intendedNanoseconds = intendedNanoseconds
    self.sentNanoseconds = sentNanoseconds
  }

  var supersedesAtAdmission: Bool { policy?.supersedesAtAdmission ?? false }

  /// Whether the gateway refuses it if it comes behind a newer one with a higher `order` (decision 0044).
  var isRefusedWhenLate: Bool {
    switch policy {
    case .cancel, .cancelAndWait, .keepLatest, .onAnswer: true
    case .wait, .concurrent, .preferPrevious, nil: false
    }
  }
}
