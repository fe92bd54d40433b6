/// What the requests of one client for one key said of their order.
struct OrderView {
  /// The highest that may have been admitted.
  var highest: UInt64 = 0
  /// The requests that said an order, newest last.
  private(set) var requests: [Int] = []

  private static let requestLimit = 64

  mutating func add(_ number: Int, _ order: UInt64) {
    highest = max(highest, order)
    if requests.count == Self.requestLimit { requests.removeFirst() }
    requests.append(number)
  }
}
