import GatewayCore
import Identity

/// Two loops: one with clients, and another one that has some of their keys, or, in a fleet, all.
struct LoopsBench: ~Copyable {
  private static let partitions = 4
  var near: Bench
  var far: Bench
  /// The loop with the clients, as the other one knows it: of the same process, or of another member.
  private let place: Int
  private var mirrors: [NewMirror] = []
  private var sent = SentBatches(count: 1)

  /// - Parameter member: the far loop is another member's.
  init(
    _ configuration: GatewayConfiguration, far other: GatewayConfiguration? = nil,
    ofMember member: Bool = false
  ) {
    func loop(_ number: Int) -> LoopPlace {
      LoopPlace(
        number: number, of: 2, seed: 1, isInFleet: member, partitions: member ? Self.partitions : 256)
    }
    near = Bench(configuration, at: loop(0))
    far = Bench(other ?? configuration, at: loop(1))
    place = member ? 2 : 0
    guard member else { return }
    for partition in 0..<Self.partitions {
      near.core.partition(partition, isAt: 1, epoch: 1)
      far.core.gained(partition, epoch: 1, isExclusive: true)
    }
  }

  /// A client of the near loop.
  mutating func connect(_ user: UInt32? = nil, as kind: ClientKind = .stream) -> ClientID {
    near.core.clientConnected(listener: 0, user.map { Credential.user($0) }, as: kind)!
  }

  /// What a client hears of what it says.
  mutating func ask(_ text: String, _ client: ClientID) -> [String] {
    near.send(text, from: client)
    turn()
    return near.heard(client)
  }

  /// For all of these keys: what a method of the gateway counts.
  mutating func count(_ method: String, _ keys: Range<Int>, _ client: ClientID) -> Int {
    keys.reduce(0) { sum, key in
      let heard = ask(line("9", method, params: #"{"key":"k\#(key)"}"#), client)
      return sum + (heard.last?.firstMatch(of: /"(?:count|cancelled)":(\d+)/).flatMap { Int($0.1) } ?? 0)
    }
  }

  mutating func timePasses(_ milliseconds: UInt64) {
    near.timePasses(milliseconds)
    far.timePasses(milliseconds)
  }

  /// Ends a turn of each, the near one first; returns what the far one was told.
  @discardableResult
  mutating func turn() -> String {
    near.core.flush(into: &near.sink)
    let told = near.core.takeBatch(for: 1)
    if let told { far.core.heardAll(of: told, from: place) }
    mirrors += far.core.takeNewMirrors()
    far.core.flush(into: &far.sink)
    if let batch = far.core.takeBatch(for: place) { near.core.heardAll(of: batch, from: 1) }
    var batch = PeerBatch()
    for mirror in mirrors {
      let answers = far.sink.toClients.removeValue(forKey: mirror.mirror.slot) ?? []
      unsafe answers.withUnsafeBytes { bytes in
        unsafe withUnsafePointer(to: bytes) { chunk in
          _ = unsafe batch.addAnswers(UnsafeBufferPointer(start: chunk, count: 1), to: mirror.name)
        }
      }
      if far.sink.closed.contains(mirror.mirror.slot) { batch.addClosed(mirror.name) }
    }
    let closed = far.sink.closed
    mirrors.removeAll { closed.contains($0.mirror.slot) }
    far.sink.closed = []
    near.core.heardAll(of: sent.take(&batch), from: 1)
    near.core.flush(into: &near.sink)
    return told?.summary ?? ""
  }
}
