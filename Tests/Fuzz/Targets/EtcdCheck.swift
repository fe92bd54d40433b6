import Fleet
import HTTP1

/// What must hold of a text that comes as an answer of etcd's, or as a record that somebody has written there.
struct EtcdCheck {
  private static let names = EtcdNames(fleet: "f")
  private let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  func run() throws(Violation) {
    try checkBase64()
    try checkRecords()
    let reading = EngineRequest.Body.read(.partition(1))
    if case .record(let record?)? = EtcdAnswer.read(input, to: reading, Self.names)?.answer {
      try require(record.revision >= 0, "a revision is negative")
    }
    let writing = EngineRequest.Body.transaction(EngineTransaction(conditions: [], writes: []))
    _ = EtcdAnswer.read(input, to: writing, Self.names)
    _ = EtcdAnswer.readAll(input, Self.names)
    if case .changes(let changes, _)? = EtcdAnswer.readWatched(input, Self.names) {
      try require(changes.allSatisfy { $0.revision >= 0 }, "a change has a negative revision")
    }
  }

  /// There is one text for some bytes.
  private func checkBase64() throws(Violation) {
    if let bytes = Base64.bytes(of: input) {
      try require(Array(Base64.text(of: bytes).utf8) == input, "two texts stand for the same bytes")
    }
    try require(Base64.bytes(of: Array(Base64.text(of: input).utf8)) == input, "bytes do not come back")
  }

  /// What is read is read the same when it is written again, and one name is one record's.
  private func checkRecords() throws(Violation) {
    if let key = Self.names.key(named: input) {
      try require(Self.names.name(of: key) == input, "two names are one record's")
    }
    for key in [EngineKey.member(MemberID(high: 1, low: 2)), .partition(1)] {
      guard let value = Self.names.value(of: key, in: input) else { continue }
      let again = Self.names.value(of: key, in: Self.names.text(of: value))
      try require(again == value, "a value does not come back")
    }
  }
}
