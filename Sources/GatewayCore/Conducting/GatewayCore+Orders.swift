import HotData
import JSONRPC
import TaskStore

/// Requests with `task.order`: one that comes behind a newer one has come too late.
extension GatewayCore {
  /// Answers a request that came too late; returns whether it did.
  @inline(never)
  mutating func rejectsOvertaken(
    _ intent: TaskIntent, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) -> Bool {
    guard intent.admission.policy.hasNewestOnly, let name = orderName(of: intent, in: bytes, sender.client),
      let newer = lanes.newer(than: edge.order, of: name)
    else { return false }
    var key: [UInt8] = []
    edge.withKey(intent.key, in: bytes) { key.append($0, $0.indices) }
    note(.overtaken, intent.admission, from: sender)
    edge.reject(Overtaking(key: key, generation: newer), envelope, in: bytes, from: sender)
    return true
  }

  /// A request that says its order was admitted.
  @inline(never)
  mutating func noteOrder(
    of intent: TaskIntent, asking task: TaskID, isNew: Bool, in bytes: Span<UInt8>, from sender: Sender
  ) {
    guard let name = orderName(of: intent, in: bytes, sender.client) else { return }
    lanes.note(edge.order, of: name, asking: task, isNew: isNew, for: edge.account(of: sender.client))
  }

  /// A POST that names no session is alone in its own: nothing overtakes it.
  private func orderName(of intent: TaskIntent, in bytes: Span<UInt8>, _ client: Int) -> OrderTable.Name? {
    guard let session = edge.sessionName(of: client) else { return nil }
    let scope = edge.namespace(intent.scope, of: client).scope
    return edge.withKey(intent.key, in: bytes) { lanes.orderName($0, scope, of: session) }
  }

  /// What is known of orders is forgotten once no older request can be on its way.
  mutating func forgetOrders() {
    while lanes.hasOrderToForget, mayFire() { lanes.forgetOrder() }
  }
}

extension DuplicatePolicy {
  /// Whether of its requests only the newest matters: what came too late would have been superseded.
  fileprivate var hasNewestOnly: Bool {
    switch self {
    case .cancel, .cancelAndWait, .keepLatest, .onAnswer: true
    case .wait, .concurrent, .preferPrevious: false
    }
  }
}
