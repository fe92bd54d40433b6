import Foundation
import TestSupport

/// How far a load has come, and whether it is to end: what its clients and the test tell each other.
final class ChaosProgress: @unchecked Sendable {
  // All of it is used under the condition's lock.
  private let condition = NSCondition()
  private var replies = 0
  private var isOver = false
  private var running = 0

  var mayGoOn: Bool { condition.withLock { !isOver } }

  func begin(_ clients: Int) { condition.withLock { running = clients } }

  func replied() {
    condition.withLock {
      replies += 1
      condition.broadcast()
    }
  }

  func ended() {
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
  }

  /// Waits for so many more replies that upstream had to do with, as long as there are clients that may get any.
  /// - Returns: whether they came.
  func wait(forReplies count: Int) -> Bool {
    condition.withLock {
      let wanted = replies + count
      while replies < wanted, running > 0 { condition.wait() }
      return replies >= wanted
    }
  }

  /// Lets each client get what it is owed, and waits for all of them.
  func end() {
    condition.withLock {
      isOver = true
      while running > 0 { condition.wait() }
    }
  }
}

/// Clients that ask as fast as they are answered, each in a thread of its own.
struct ChaosLoad {
  /// One for each policy that there is, and one without keys.
  static let policies: [String?] = [
    "cancel", "cancelAndWait", "wait", "concurrent", "keepLatest", "onAnswer", "preferPrevious", nil,
  ]

  let progress = ChaosProgress()
  private let clients: [ChaosClient]

  /// - Parameter mayBeCutOff: a client's connection may end, and it makes a new one.
  init(on gateway: RunningGateway, seed: UInt64, mayBeCutOff: Bool) {
    let (address, progress) = (gateway.address, progress)
    clients = Self.policies.enumerated().map { number, policy in
      ChaosClient(
        number, address, policy: policy, seed: seed &+ UInt64(number), mayBeCutOff: mayBeCutOff, progress)
    }
    progress.begin(clients.count)
    for client in clients {
      Thread { client.run() }.start()
    }
  }

  /// Ends it, and gives what was found wrong.
  func end() -> (faults: [String], counts: [String: Int]) {
    progress.end()
    let counts = clients.map(\.counts).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    return (clients.flatMap(\.faults), counts)
  }
}
