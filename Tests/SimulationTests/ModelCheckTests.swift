import TaskStore
import Testing

/// Every history on one key, against the model and the invariants.
@Suite struct ModelCheckTests {
  @Test func `all short histories of all policies go as the model says`() {
    check(AllHistories(), depth: 5)
  }

  private func check(_ histories: AllHistories, depth: Int) {
    var histories = histories
    let failure = histories.walk(depth: depth)
    print("\(histories.stepCount) steps, \(histories.stateCount) states")
    if let failure { Issue.record("\(failure.complaint)\n\(failure.history)") }
    #expect(failure == nil)
  }
}
