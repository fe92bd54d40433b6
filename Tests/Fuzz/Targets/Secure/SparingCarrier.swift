#if TLS
import TLS

/// A stream that takes as much at once as an input says, and then nothing until that has gone on its way.
final class SparingCarrier: TLSCarrier {
  private let rooms: [UInt8]
  private var index = 0
  private var taken: [UInt8] = []

  init(_ rooms: [UInt8]) { self.rooms = rooms }

  var isWriting: Bool { !taken.isEmpty }

  func write(_ ciphertext: [UInt8]) -> Int {
    guard taken.isEmpty, !rooms.isEmpty else { return 0 }
    taken = Array(ciphertext.prefix(Int(rooms[index % rooms.count]) % Self.mostBytes + 1))
    index += 1
    return taken.count
  }

  func shutdown() {}

  /// What it has taken goes on its way.
  func pass() -> [UInt8] {
    defer { taken = [] }
    return taken
  }

  private static let mostBytes = 64
}

@available(*, unavailable)
extension SparingCarrier: Sendable {}
#endif
