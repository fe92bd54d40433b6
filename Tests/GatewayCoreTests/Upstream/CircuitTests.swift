import Testing

@testable import GatewayCore

/// Each transition of an endpoint's circuit breaker.
@Suite struct CircuitTests {
  private func states(of circuit: Circuit, at milliseconds: UInt64) -> [Bool] {
    [circuit.isClosed, circuit.isOpen(at: milliseconds), circuit.isHalfOpen(at: milliseconds)]
  }

  @Test func `closed, it counts failures in a row, and the last one that is allowed opens it`() {
    var circuit = Circuit.closed(failures: 0)
    var opens: [Bool] = []
    for _ in 1...3 { opens.append(circuit.fail(limit: 3, at: 0)) }
    #expect(opens == [false, false, true])
    #expect(circuit == .closed(failures: 3))
  }

  @Test func `closed, an answer makes it count anew`() {
    var circuit = Circuit.closed(failures: 2)
    circuit.close()
    #expect(circuit == .closed(failures: 0))
    #expect(states(of: circuit, at: 0) == [true, false, false])
  }

  @Test func `a limit that has become lower counts from the next failure on`() {
    var circuit = Circuit.closed(failures: 5)
    let opens = circuit.fail(limit: 2, at: 0)
    #expect(opens)
  }

  @Test func `open, it becomes half-open when its time is over`() {
    let circuit = Circuit.open(untilMilliseconds: 10)
    #expect(states(of: circuit, at: 9) == [false, true, false])
    #expect(states(of: circuit, at: 10) == [false, false, true])
  }

  @Test func `open, a failure does not make it longer`() {
    var circuit = Circuit.open(untilMilliseconds: 10)
    let opens = circuit.fail(limit: 1, at: 9)
    #expect(!opens)
    #expect(circuit == .open(untilMilliseconds: 10))
  }

  @Test func `open, an answer to an earlier request closes it`() {
    var circuit = Circuit.open(untilMilliseconds: 10)
    circuit.close()
    #expect(states(of: circuit, at: 5) == [true, false, false])
  }

  @Test func `half-open, one failure opens it again, however many are allowed in a row`() {
    var circuit = Circuit.open(untilMilliseconds: 10)
    let opens = circuit.fail(limit: 100, at: 10)
    #expect(opens)
  }

  @Test func `half-open, an answer closes it`() {
    var circuit = Circuit.open(untilMilliseconds: 10)
    circuit.close()
    #expect(states(of: circuit, at: 10) == [true, false, false])
    let opens = circuit.fail(limit: 2, at: 10)
    #expect(!opens)
  }
}
