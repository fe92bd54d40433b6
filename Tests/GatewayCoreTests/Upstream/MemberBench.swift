import GatewayCore
import Identity

/// A member's loop with a client, and the one that has the partitions, all of them under one epoch.
struct MemberBench: ~Copyable {
  static let partitions = 4
  static let epoch: UInt64 = 7
  var edge: GatewayCore
  var edgeSink = RecordingSink()
  var owner: Bench
  let client: ClientID
  /// Of the owner's loop.
  private var mirrors: [NewMirror] = []
  private var sent = SentBatches(count: 1)

  /// - Parameter credential: its client's.
  init(
    as kind: ClientKind = .stream, _ credential: Credential? = nil,
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].passesFence = true
    adjust(&configuration)
    func place(_ number: Int) -> LoopPlace {
      LoopPlace(number: number, of: 2, seed: 1, isInFleet: true, partitions: Self.partitions)
    }
    edge = GatewayCore(configuration, seed: 1, nowMilliseconds: 1_000, at: place(0))
    client = edge.clientConnected(listener: 0, credential, as: kind)!
    owner = Bench(configuration, at: place(1))
    for partition in 0..<Self.partitions {
      edge.partition(partition, isAt: 1, epoch: UInt32(Self.epoch))
      owner.core.gained(partition, epoch: UInt32(Self.epoch), isExclusive: true)
    }
  }

  /// A client's messages, and what the upstream then hears.
  mutating func asks(_ text: String) -> [String] {
    says(text)
    return passes()
  }

  /// The turn of the client's loop ends, and the other one hears what it says; then what the upstream hears.
  mutating func passes() -> [String] {
    if let batch = mail() { owner.core.heardAll(of: batch, from: 0) }
    return asked()
  }

  /// Ends the client's loop's turn; returns what it tells the owner's.
  mutating func mail() -> PeerBatch? {
    edge.flush(into: &edgeSink)
    return edge.takeBatch(for: 1)
  }

  /// What the upstream has heard since.
  mutating func asked() -> [String] {
    mirrors += owner.core.takeNewMirrors()
    return owner.asked()
  }

  /// The same, without the end of the turn.
  mutating func says(_ text: String) {
    let bytes = Array(text.utf8)
    edge.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: client)
    while edge.isBehind { edge.goOn() }
  }

  /// The upstream answers, and the client's loop hears it.
  mutating func answer(_ text: String) {
    owner.answer(text)
    owner.core.flush(into: &owner.sink)
    if let batch = owner.core.takeBatch(for: 0) { edge.heardAll(of: batch, from: 1) }
    var batch = PeerBatch()
    for mirror in mirrors {
      let answers = owner.sink.toClients.removeValue(forKey: mirror.mirror.slot) ?? []
      unsafe answers.withUnsafeBytes { bytes in
        unsafe withUnsafePointer(to: bytes) { chunk in
          _ = unsafe batch.addAnswers(UnsafeBufferPointer(start: chunk, count: 1), to: mirror.name)
        }
      }
    }
    edge.heard(sent.take(&batch), from: 1)
  }
}
