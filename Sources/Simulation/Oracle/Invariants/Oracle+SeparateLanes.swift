/// Invariant 6: tasks of different lanes never affect each other.
extension Oracle {
  func expectOwnKey(_ reply: ReplyView, of number: Int, in bytes: [UInt8]) {
    let key = records[number].terms.key
    let isKeyRight =
      key < 0 ? reply.key.isEmpty : bytes[reply.key].elementsEqual(Spelling.keys[Int(key)].plain.utf8)
    expect(isKeyRight, "invariant 6: the error of request \(number) names another key")
  }

  func expectSupersededInOwnLane(_ number: Int, by task: Int) {
    let isOwn = tasks[task].lane == records[number].lane
    expect(isOwn, "invariant 6: \(number) was superseded by another lane's task")
  }

  /// An inspection of some lanes shows no task of another lane.
  func expectShown(_ task: Int, to number: Int, of lanes: [Int]) {
    expect(
      lanes.contains(tasks[task].lane), "invariant 6: request \(number) was shown a task of another lane")
  }
}
