import Testing

/// Every history on one key, against the model and the invariants. `scripts/mutants` walks longer ones, in a release build.
@Suite struct ModelCheckTests {
  @Test func `all histories of six events go as the model says`() {
    if let complaint = AllHistories().complaint(depth: 6) { Issue.record("\(complaint)") }
  }

  @Test(arguments: HistoryVariant.allCases)
  func `all histories of four events go as the model says, whatever is unusual`(variant: HistoryVariant) {
    if let complaint = AllHistories(variant).complaint(depth: 4) { Issue.record("\(complaint)") }
  }
}
