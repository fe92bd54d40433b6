import GatewayCore
import TaskStore

/// Invariant 3: a task that waits for its turn starts only when every earlier task of its lane has ended or outlived its
/// grace; on a route with `maxRunning` when none of them is queued, and fewer than so many have not.
extension Oracle {
  /// All upstreams have heard what they were sent in this turn.
  mutating func judgeSights(_ core: inout GatewayCore, _ clients: ClientTable) {
    for task in sights where tasks[task].lane >= 0 && tasks[task].creator != 0 {
      checkTurn(of: task, &core, clients)
    }
    sights.removeAll(keepingCapacity: true)
    judgeWaiting(&core, clients)
    checkOwnTasks(&core, clients)
    checkTasksOfPrincipals(&core, clients)
    checkCallersOfPrincipals(&core, clients)
  }

  private mutating func checkTurn(of task: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let lane = tasks[task].lane
    lanes[lane].tasks = lanes[lane].tasks.filter {
      !isOver($0) || tasks[$0].sightOrder > tasks[task].sightOrder
    }
    let view = tasks[task]
    var (unsettled, running) = (0, 0)
    for earlier in lanes[lane].tasks where earlier != task {
      if isSurelyUnsettled(earlier) { unsettled += 1 }
      let isAhead = tasks[earlier].admitted < view.admitted && tasks[earlier].creator != 0
      guard view.waitsForEarlier && isAhead || earlier == view.spared else { continue }
      let isTooEarly =
        view.waitsForEarlier
        ? !mayHaveEnded(earlier, before: task, &core, clients) : isOpen(earlier, &core, clients)
      if isTooEarly { running += 1 }
      let isOvertaken = isTooEarly && open(earlier, &core, clients)?.state == .queued
      expect(
        running < view.maxRunning && !isOvertaken,
        "invariant 3: \(view.creator) was sent before \(tasks[earlier].creator) ended")
    }
    // One that waited for its upstream had its turn before it was sent.
    guard !view.hasWaited, view.isSightExact else { return }
    expectRoomToDrain(beside: view.creator, unsettled)
  }

  /// Upstream heard the cancel in an earlier turn and has not answered, and the gateway cannot have forgotten it.
  private func isSurelyUnsettled(_ index: Int) -> Bool {
    tasks[index].isCancelSeen && tasks[index].cancelSeen < turn && isSurelyKnown(index)
  }
}
