import GatewayCore
import JSONRPC
import TaskStore

/// What must hold of whatever another member of a fleet says that has greeted as it should: it is read or it is not, what
/// is read is read the same when it is written again, and neither side traps on it, or keeps anything once it is gone.
struct PeerCheck {
  private static let partitions = 4
  private static let place = 2
  private let side: PeerBatch.Side
  private let frame: [UInt8]

  /// - Parameter input: the first byte says who speaks.
  init(_ input: [UInt8]) {
    side = (input.first ?? 0) & 1 == 0 ? .asking : .owning
    frame = Array(input.dropFirst())
  }

  func run() throws(Violation) {
    let limits = GatewayConfiguration().scan
    guard let batch = PeerBatch(frame, from: side, limits) else { return }
    var wire = WireWriter()
    batch.write(into: &wire)
    guard let again = PeerBatch(wire.bytes, from: side, limits) else {
      throw Violation(description: "what was read cannot be read again")
    }
    var other = WireWriter()
    again.write(into: &other)
    try require(other.bytes == wire.bytes, "what was written again is something else")
    try checkHearing(batch)
  }

  private func checkHearing(_ batch: PeerBatch) throws(Violation) {
    let number = side == .asking ? 1 : 0
    var core = GatewayCore(
      GatewayConfiguration(), seed: 1, nowMilliseconds: 1_000,
      at: LoopPlace(number: number, of: 2, seed: 1, isInFleet: true, partitions: Self.partitions))
    var sink = CoreSink()
    core.flush(into: &sink)
    core.upstreamConnected(UpstreamID(slot: 0))
    for partition in 0..<Self.partitions where partition != 3 {
      if side == .asking {
        core.gained(partition, epoch: UInt32(partition) + 1, isExclusive: partition != 2)
      } else {
        core.partition(partition, isAt: Self.place, epoch: 1)
      }
    }
    core.placeIsUp(Self.place, ofLife: 1)
    core.heardAll(of: batch, from: Self.place)
    _ = core.takeNewMirrors()
    core.flush(into: &sink)
    core.timeAdvanced(to: 400_000)
    core.flush(into: &sink)
    _ = core.placeIsDown(Self.place)
    for partition in 0..<Self.partitions where side == .asking { core.drain(partition: partition) }
    core.timeAdvanced(to: 800_000)
    core.flush(into: &sink)
    core.timeAdvanced(to: 1_200_000)
    core.flush(into: &sink)
    try require(core.connectionCount == 0, "clients of nobody are left")
    try require(core.remoteRequestCount == 0, "somebody waits for ever")
  }
}
