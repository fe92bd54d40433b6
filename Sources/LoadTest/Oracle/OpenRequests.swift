/// The open requests by their numbers, in a ring: numbers rise, and most are answered soon.
///
/// One that is still open when the ring comes round to its place moves to a dictionary of stragglers.
package struct OpenRequests: Sendable {
  private static let initialCapacity = 1_024
  private static let free = OpenRequest(number: 0, connection: 0, key: 0, policy: nil)

  private var ring: [OpenRequest]
  private var stragglers: [UInt64: OpenRequest] = [:]
  package private(set) var count = 0

  package init() { ring = Array(repeating: Self.free, count: Self.initialCapacity) }

  package mutating func insert(_ request: OpenRequest) {
    if 2 * count >= ring.count { grow() }
    count += 1
    place(request)
  }

  private mutating func place(_ request: OpenRequest) {
    let index = place(of: request.number)
    if ring[index].number != 0 { stragglers[ring[index].number] = ring[index] }
    ring[index] = request
  }

  package mutating func remove(_ number: UInt64) -> OpenRequest? {
    let index = place(of: number)
    guard number != 0, ring[index].number == number else { return removeStraggler(number) }
    let request = ring[index]
    ring[index].number = 0
    count -= 1
    return request
  }

  private mutating func removeStraggler(_ number: UInt64) -> OpenRequest? {
    guard !stragglers.isEmpty, let request = stragglers.removeValue(forKey: number) else { return nil }
    count -= 1
    return request
  }

  /// Changes an open request; nil: it is not open.
  package mutating func update<Result>(_ number: UInt64, _ body: (inout OpenRequest) -> Result) -> Result? {
    let index = place(of: number)
    if number != 0, ring[index].number == number { return body(&ring[index]) }
    guard !stragglers.isEmpty, var request = stragglers[number] else { return nil }
    let result = body(&request)
    stragglers[number] = request
    return result
  }

  /// The numbers of a connection's open requests.
  package func numbers(of connection: Int) -> [UInt64] {
    let isMeant = { (request: OpenRequest) in
      request.number != 0 && request.connection == Int32(connection)
    }
    return ring.filter(isMeant).map(\.number) + stragglers.values.filter(isMeant).map(\.number)
  }

  /// How many open requests each connection has.
  package func counts(connections: Int) -> [Int] {
    var counts = Array(repeating: 0, count: connections)
    for request in ring where request.number != 0 { counts[Int(request.connection)] += 1 }
    for request in stragglers.values { counts[Int(request.connection)] += 1 }
    return counts
  }

  private func place(of number: UInt64) -> Int { Int(truncatingIfNeeded: number) & (ring.count - 1) }

  private mutating func grow() {
    let old = ring
    let late = stragglers.values
    stragglers = [:]
    ring = Array(repeating: Self.free, count: 2 * old.count)
    for request in old where request.number != 0 { place(request) }
    for request in late { place(request) }
  }
}
