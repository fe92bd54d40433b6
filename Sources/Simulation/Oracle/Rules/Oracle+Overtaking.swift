import GatewayCore
import TaskStore

/// A request that comes behind one of a higher order is too late, and only such a one.
extension Oracle {
  /// Before a request that comes alone, notes the earlier requests that surely are tasks of their own.
  mutating func noteOpenOrders(for request: Request, _ core: inout GatewayCore, _ clients: ClientTable) {
    let record = records[request.number]
    openOrders.removeAll(keepingCapacity: true)
    guard request.order != nil, let view = orderName(record).flatMap({ orders[$0] }) else { return }
    for number in view.requests where isSurelyFirst(number) {
      if openRequest(number, &core, clients)?.task.rawValue == tasks[records[number].task].id {
        openOrders.append(number)
      }
    }
  }

  /// What its order is compared in; nil: it is alone in its session.
  private func orderName(_ record: RecordView) -> OrderName? {
    let client = clients[record.client]
    if client.kind == .exchange && client.session == nil { return nil }
    let isOwn = (record.terms.scope ?? client.options.scope) == .connection
    return OrderName(
      sender: client.session.map { .session($0) } ?? .client(record.client), key: record.terms.key,
      isOwn: isOwn)
  }

  /// Whether its task is known, and no other's.
  private func isSurelyFirst(_ number: Int) -> Bool {
    let task = records[number].task
    return task >= 0 && records[number].isClear && tasks[task].creator == number
  }

  /// Notes what a request says of its order, and whether it came too late.
  mutating func noteOrder(of request: Request) {
    let record = records[request.number]
    guard let order = request.order, record.terms.key >= 0 else { return }
    guard record.lane >= 0 else {
      records[request.number].overtaking = .perhaps
      return
    }
    let overtaking = overtaking(record, order)
    records[request.number].overtaking = overtaking
    if overtaking == .surely { return coverage.count(.overtaken) }
    if let name = orderName(record) { orders[name, default: OrderView()].add(request.number, order) }
  }

  private func overtaking(_ record: RecordView, _ order: UInt64) -> Overtaking {
    guard record.hasNewestOnly, let view = orderName(record).flatMap({ orders[$0] }), view.highest > order
    else { return .no }
    let isSure = record.isClear && view.requests.contains { isSurelyRemembered($0, above: order) }
    return isSure ? .surely : .perhaps
  }

  private func isSurelyRemembered(_ number: Int, above order: UInt64) -> Bool {
    let record = records[number]
    guard record.request.order ?? 0 > order, record.isClear, record.task >= 0,
      !record.request.isNotification
    else { return false }
    if openOrders.contains(number) { return true }
    let ended = tasks[record.task].creator == number ? tasks[record.task].deliveredMilliseconds : 0
    let since = max(record.handledMilliseconds, ended)
    return bounds.fewestOrders >= Self.manyOrders && nowMilliseconds - since <= bounds.orderMilliseconds
  }

  /// More than are ever needed in a history.
  static let manyOrders = 100_000
}

extension RecordView {
  /// Of its policy only the newest request matters.
  fileprivate var hasNewestOnly: Bool {
    switch policy {
    case .cancel, .cancelAndWait, .keepLatest, .onAnswer: true
    case .wait, .concurrent, .preferPrevious: false
    }
  }
}
