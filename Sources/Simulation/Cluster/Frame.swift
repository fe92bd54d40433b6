/// A frame from one member to another: bytes that the network does not read, and a number that identifies them.
struct Frame: Hashable, Sendable {
  /// Counts the frames of the whole cluster, from 1 on.
  var number: Int
  var bytes: [UInt8]

  /// A frame that is there for nothing but to arrive.
  static func probe(_ number: Int, byteCount: Int) -> Frame {
    Frame(number: number, bytes: (0..<byteCount).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) })
  }
}
