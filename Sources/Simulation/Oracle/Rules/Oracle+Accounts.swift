import GatewayCore
import TaskStore

/// What counts for a client, and what goes with it.
extension Oracle {
  /// Whom a task counts for; -1: not known.
  func account(of task: Int) -> Int { tasks[task].creator == 0 ? -1 : records[tasks[task].creator].client }

  /// A client is gone, or wants nothing any more: its notifications that were not sent go with it.
  mutating func noteNotificationsLeft(by client: Int) {
    for task in clients[client].tasks where tasks[task].isNotification && tasks[task].sighted == 0 {
      noteMayHaveLeft(task)
    }
  }

  /// Nothing is sent any more that only a client wanted who was gone before.
  func checkWanted(_ number: Int, over link: Int) {
    let isGone = clients[records[number].client].goneTurn < turn
    let mayBeLate = links[link].isBacklogged || links[link].wasBacklogged
    expect(!isGone || mayBeLate, "\(number) was sent though its client was gone")
  }

  /// Who sends no more is there until its notifications have been sent.
  func expectNotificationsSent(by client: Int) {
    for task in clients[client].tasks where tasks[task].isNotification && tasks[task].sighted == 0 {
      guard tasks[task].creator != 0, !mayBeDropped(tasks[task]) else { continue }
      complain("client \(client) was closed before notification \(tasks[task].creator) was sent")
    }
  }
}
