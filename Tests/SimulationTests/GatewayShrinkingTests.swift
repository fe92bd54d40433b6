import Simulation
import Testing

/// A failing history is made short before anybody has to read it.
@Suite struct GatewayShrinkingTests {
  private let history = SeedRun(seed: 3, steps: 300).history

  @Test func `only the steps remain without which nothing would fail`() {
    let (first, second) = (history[40], history[200])
    var shrinking = HistoryShrinking(of: "both happened") { steps in
      let place = steps.firstIndex(of: first)
      let fails = place.map { steps[$0...].dropFirst().contains(second) } ?? false
      return (steps, fails ? "both happened" : nil)
    }
    #expect(shrinking.shortest(history) == [first, second])
  }

  @Test func `one failure does not shrink into another`() {
    let step = history[40]
    var shrinking = HistoryShrinking(of: "request 17 is lost") { steps in
      (steps, steps.contains(step) ? "request \(steps.count) is lost" : "request 17 came twice")
    }
    #expect(shrinking.shortest(history) == [step])
  }

  @Test func `what came after the failure is gone at once`() {
    var shrinking = HistoryShrinking<Step>(of: "bad", mostSteps: 1) { steps in (Array(steps.prefix(3)), "bad")
    }
    #expect(shrinking.shortest(history).count <= 3)
  }

  @Test func `a history is told in numbered steps`() {
    let lines = Narration(history).lines
    #expect(lines.count == history.count)
    #expect(lines[0].hasPrefix("1. "))
    #expect(lines[299].hasPrefix("300. "))
  }
}
