/// Batches that were sent. Their memory is used again, the oldest first: by then mostly nobody reads it any more. Long
/// ones are not kept: nobody may send for long, and no bound counts them.
package struct SentBatches: Sendable {
  private static let mostKept = 32

  private var ring: [PeerBatch]
  private var oldest = 0

  /// - Parameter count: so many are kept, if that is not too much; 1 at least.
  package init(count: Int) {
    ring = [PeerBatch](repeating: PeerBatch(), count: min(max(count, 1), Self.mostKept))
  }

  /// What it keeps takes so much memory, about.
  var keptByteCount: Int { ring.reduce(0) { $0 + $1.keptByteCount } }

  /// Takes what is to be sent, and leaves an empty one for what follows.
  package mutating func take(_ batch: inout PeerBatch) -> PeerBatch {
    batch.seal()
    let told = batch
    if batch.isLong {
      batch = PeerBatch()
      return told
    }
    swap(&batch, &ring[oldest])
    batch.removeAll()
    oldest = oldest + 1 < ring.count ? oldest + 1 : 0
    return told
  }
}
