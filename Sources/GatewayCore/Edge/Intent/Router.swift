import HotData
import JSONRPC

/// Finds the route of a request's method: a name wins over a prefix, a longer prefix over a shorter one.
struct Router: ~Copyable {
  private let place = StaysInPlace()
  private(set) var routes: [Route] = []
  private var names: KeyTable
  /// By a name's number: the route.
  private var routeOfName: [Int] = []
  /// Longest first.
  private var prefixes: [(bytes: [UInt8], route: Int)] = []
  private var compensationOfRoute: [Int] = []
  /// The methods that undo others. None is ever taken away: a task keeps the routes under which it was admitted.
  private(set) var compensations: [[UInt8]] = []
  private var unescapedMethod: [UInt8] = []
  private let seed: UInt64

  init(_ routes: [Route], seed: UInt64) {
    self.seed = seed
    names = KeyTable(seed: seed)
    load(routes)
  }

  /// Routes what comes from now on by these; of several for the same methods the first counts.
  mutating func load(_ routes: [Route]) {
    self.routes = routes
    names = KeyTable(seed: seed)
    routeOfName = []
    prefixes = []
    compensationOfRoute = []
    for (number, route) in routes.enumerated() {
      compensationOfRoute.append(self.number(ofCompensation: route.compensation))
      let method = Array(route.method.utf8)
      if route.isPrefix { prefixes.append((method, number)) } else { add(method, number) }
    }
    // Stable, so that the first of several stays the first.
    prefixes.sort { $0.bytes.count > $1.bytes.count }
  }

  private mutating func add(_ method: [UInt8], _ route: Int) {
    guard names.find(namespace: 0, method.span) == nil else { return }
    let name = names.intern(namespace: 0, method.span)
    precondition(name == routeOfName.count, "names are numbered as they come")
    routeOfName.append(route)
  }

  private mutating func number(ofCompensation method: String?) -> Int {
    guard let method else { return -1 }
    let name = Array(method.utf8)
    if let known = compensations.firstIndex(of: name) { return known }
    compensations.append(name)
    return compensations.count - 1
  }

  // MARK: Looking up

  /// The route of a method, or -1.
  @inline(__always)
  mutating func route(of envelope: Envelope, in bytes: Span<UInt8>) -> Int {
    routes.isEmpty ? -1 : find(envelope, in: bytes)
  }

  private mutating func find(_ envelope: Envelope, in bytes: Span<UInt8>) -> Int {
    guard envelope.methodHasEscapes else {
      return route(of: bytes.extracting(envelope.method.range.dropFirst().dropLast()))
    }
    unescapedMethod.removeAll(keepingCapacity: true)
    _ = JSONString.unescape(envelope.method, in: bytes, into: &unescapedMethod)
    return route(of: unescapedMethod.span)
  }

  private func route(of method: Span<UInt8>) -> Int {
    if let name = names.find(namespace: 0, method) { return routeOfName[name] }
    for index in prefixes.indices where Self.begins(method, with: prefixes[index].bytes) {
      return prefixes[index].route
    }
    return -1
  }

  private static func begins(_ method: Span<UInt8>, with prefix: [UInt8]) -> Bool {
    guard method.count >= prefix.count else { return false }
    for index in prefix.indices where method[index] != prefix[index] { return false }
    return true
  }

  func upstream(of route: Int) -> Int { route < 0 ? 0 : routes[route].upstream }

  /// The number in `compensations` of the method that undoes this route's requests, or -1.
  func compensation(of route: Int) -> Int { route < 0 ? -1 : compensationOfRoute[route] }
}
