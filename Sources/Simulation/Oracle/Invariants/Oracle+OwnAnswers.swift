/// Invariant 13: a late, double or foreign answer of upstream never matches a task.
extension Oracle {
  func expectFirst(_ answer: Int, to number: Int) {
    let isFirst = answers[answer].isFirst
    expect(isFirst, "invariant 13: answer \(answer), late or double or foreign, reached request \(number)")
  }

  func expectOwnAnswer(_ answer: Int, to number: Int) {
    let isOwn = records[number].task == answers[answer].task
    expect(isOwn, "invariant 13: request \(number) got the answer to another's call")
  }
}
