#if HTTPUpstreams
/// The requests that wait for a connection, oldest first.
struct HTTPWaitingLine {
  /// The place of a request in the line.
  struct Place: Hashable { fileprivate let number: UInt64 }

  /// The most that all of them may hold.
  static let limitBytes = 64 << 20

  private var requests: [UInt64: HTTPRequest] = [:]
  private var first: UInt64 = 0
  private var next: UInt64 = 0
  private var heldBytes = 0

  func hasRoom(for request: HTTPRequest) -> Bool { heldBytes + request.heldBytes <= Self.limitBytes }

  var isEmpty: Bool { requests.isEmpty }

  mutating func append(_ request: HTTPRequest) -> Place {
    defer { next += 1 }
    requests[next] = request
    heldBytes += request.heldBytes
    return Place(number: next)
  }

  mutating func remove(_ place: Place) { _ = take(place.number) }

  mutating func popFirst() -> HTTPRequest? {
    while first < next {
      defer { first += 1 }
      // Requests that left the line are gaps in it.
      if let request = take(first) { return request }
    }
    return nil
  }

  private mutating func take(_ number: UInt64) -> HTTPRequest? {
    guard let request = requests.removeValue(forKey: number) else { return nil }
    heldBytes -= request.heldBytes
    return request
  }
}
#endif
