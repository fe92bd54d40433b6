#if TLS
import TLS

/// A stream that takes as much as the test lets it.
final class FakeCarrier: TLSCarrier {
  /// How much it takes from now on.
  var room: Int
  private(set) var taken: [UInt8] = []
  private(set) var isShutDown = false
  var isWriting = false

  init(room: Int = .max) { self.room = room }

  func write(_ ciphertext: [UInt8]) -> Int {
    if isWriting || isShutDown { return 0 }
    let count = min(room, ciphertext.count)
    taken += ciphertext[..<count]
    room -= count
    isWriting = room == 0
    return count
  }

  func shutdown() { isShutDown = true }

  /// What it has taken goes on its way, and there is room again.
  func makeRoom(_ bytes: Int) -> [UInt8] {
    room = bytes
    isWriting = false
    defer { taken = [] }
    return taken
  }
}

@available(*, unavailable)
extension FakeCarrier: Sendable {}
#endif
