import GatewayCore
import TaskStore

/// Which tasks count for a client, and which of them end with it.
extension Oracle {
  /// The client that a task counts for; -1: not known.
  func account(of task: Int) -> Int { tasks[task].creator == 0 ? -1 : records[tasks[task].creator].client }

  /// A client is gone, or wants nothing any more: its notifications that were not sent go with it.
  mutating func noteNotificationsLeft(by client: Int) {
    for task in clients[client].tasks where tasks[task].isNotification && tasks[task].sighted == 0 {
      noteMayHaveLeft(task)
    }
  }

  /// A task that only one client wanted is not sent once that client has gone.
  func checkWanted(_ number: Int, over link: Int) {
    let isGone = clients[records[number].client].goneTurn < turn
    let mayBeLate = links[link].isBacklogged || links[link].wasBacklogged
    expect(!isGone || mayBeLate, "\(number) was sent though its client was gone")
  }

  /// A client that has ended its input stays open until its notifications have been sent.
  func expectNotificationsSent(by client: Int) {
    for task in clients[client].tasks where tasks[task].isNotification && tasks[task].sighted == 0 {
      guard tasks[task].creator != 0, !mayBeDropped(tasks[task]) else { continue }
      complain("client \(client) was closed before notification \(tasks[task].creator) was sent")
    }
  }
}
