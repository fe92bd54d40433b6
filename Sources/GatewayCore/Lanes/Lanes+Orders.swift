import HotData
import TaskStore

/// Requests that may overtake each other: which came too late.
extension Lanes {
  /// What a request's `task.order` is compared in.
  func orderName(
    _ key: Span<UInt8>, _ scope: ListenerOptions.Scope, of session: SessionName
  ) -> OrderTable.Name {
    OrderTable.Name(session: session, isShared: scope == .shared, keyHash: keys.hash(0, key))
  }

  /// The generation of the task that a newer request of the same session asked for; nil: there was none.
  func newer(than order: UInt64, of name: OrderTable.Name) -> UInt64? {
    let since = nowMilliseconds - min(nowMilliseconds, configuration.orderMilliseconds)
    return orders.newer(than: order, of: name, since: since)
  }

  /// A request was admitted, and will be answered by a task.
  /// - Parameter isNew: it is that task's first.
  mutating func note(
    _ order: UInt64, of name: OrderTable.Name, asking task: TaskID, isNew: Bool, for account: Int
  ) {
    let generation = store.generation(of: task)
    let entry = orders.note(
      order, of: name, generation, principal: accounts[account].principal, limit: configuration.orders,
      at: nowMilliseconds)
    guard isNew else { return }
    requests[task.slot].isOrdered = true
    orders.begin(task.slot, of: entry)
  }

  // MARK: Forgetting

  /// When the next one is forgotten; the largest number: there is none.
  var nextForgottenOrder: UInt64 {
    let oldest = orders.oldestMilliseconds
    return oldest == .max ? .max : oldest &+ configuration.orderMilliseconds &+ 1
  }

  var hasOrderToForget: Bool { nextForgottenOrder <= nowMilliseconds }
  mutating func forgetOrder() { orders.forgetOldest() }
}
