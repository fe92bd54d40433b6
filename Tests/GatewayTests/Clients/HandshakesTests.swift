import LibUV
import Testing

@testable import Gateway

/// Whose handshake gives way, and whose is over first.
@Suite struct HandshakesTests {
  private var handshakes = Handshakes<String>()

  /// Some that begin a millisecond after each other; those whose name has a capital are answered at once.
  private init() {}

  private mutating func begin(_ names: String...) {
    for name in names {
      let number = UInt64(handshakes.numbers.last ?? 0) + 1
      handshakes.begin(number, name, atMilliseconds: number)
      if name == name.uppercased() { handshakes.answer(number) }
    }
  }

  private func givingWay(_ limit: Int, _ states: [String: PeerState] = [:]) -> String? {
    handshakes.givingWay(limit) { states[$0] ?? PeerState() }
  }

  @Test mutating func `nobody gives way before there are too many`() {
    begin("a", "b")
    #expect(givingWay(2) == nil)
    #expect(givingWay(1) == "a")
  }

  @Test mutating func `who was answered gives way only where those have more than half`() {
    begin("A", "b", "c", "d")
    #expect(givingWay(3) == "b")
    handshakes.answer(3)
    #expect(givingWay(3) == "A")
  }

  @Test mutating func `who was answered first is the first of the answered`() {
    begin("a", "B", "C", "d")
    handshakes.answer(1)
    #expect(givingWay(3) == "B")
  }

  @Test mutating func `who is gone gives way first, then who leaves us waiting, then the oldest`() {
    begin("a", "b", "c", "d")
    let waits = PeerState(hasInput: true)
    #expect(givingWay(3, ["a": waits, "b": waits, "d": PeerState(hasInput: true, isGone: true)]) == "d")
    #expect(givingWay(3, ["a": waits, "b": waits]) == "c")
    #expect(givingWay(3, ["a": waits, "b": waits, "c": waits, "d": waits]) == "a")
  }

  @Test mutating func `who comes anew waits while the one that would give way waits for us`() {
    begin("a", "b", "C", "D")
    let waits = PeerState(hasInput: true)
    func isBehind(_ limit: Int, _ states: [String: PeerState]) -> Bool {
      handshakes.isBehind(limit) { states[$0] ?? PeerState() }
    }
    #expect(!isBehind(5, ["a": waits, "b": waits]))
    #expect(isBehind(4, ["a": waits, "b": waits]))
    #expect(!isBehind(4, ["a": waits]))
    #expect(!isBehind(4, ["a": waits, "b": PeerState(hasInput: true, isGone: true)]))
    // Now those that were answered have more than their half.
    handshakes.answer(2)
    #expect(!isBehind(4, ["a": waits]))
  }

  @Test mutating func `so many are looked at, and no more`() {
    let limit = Handshakes<String>.lookLimit
    for number in 0...limit { begin("n\(number)") }
    var looks = 0
    let chosen = handshakes.givingWay(1) { _ in
      looks += 1
      return PeerState(hasInput: true)
    }
    #expect(chosen == "n0")
    #expect(looks == limit)
  }

  @Test mutating func `who has come through, or gone, leaves the order as it is`() {
    begin("a", "b", "c", "d", "E", "F", "G", "H")
    for number in [1, 3, 5, 7] as [UInt64] { handshakes.end(number) }
    #expect(handshakes.count == 4)
    #expect(givingWay(3) == "F")
    handshakes.end(6)
    #expect(givingWay(2) == "b")
    handshakes.end(2)
    #expect(givingWay(1) == "H")
    handshakes.end(8)
    #expect(givingWay(0) == "d")
    handshakes.end(4)
    #expect(handshakes.count == 0)
    #expect(givingWay(0) == nil)
  }

  @Test mutating func `who began first is over first, answered or not`() {
    #expect(handshakes.first() == nil)
    begin("A", "b")
    #expect(handshakes.first()?.peer == "A")
    #expect(handshakes.first()?.begunMilliseconds == 1)
    handshakes.end(1)
    #expect(handshakes.first()?.peer == "b")
  }

  @Test mutating func `what is told of somebody who has left changes nothing`() {
    begin("a", "b")
    handshakes.end(1)
    handshakes.end(1)
    handshakes.answer(1)
    #expect(handshakes.count == 1)
    #expect(handshakes[1] == nil)
    #expect(givingWay(0) == "b")
  }
}
