import JSONRPC

/// Finds what the configuration says of a request's method.
struct Router {
  private var methods: [[UInt8]] = []
  private var compensationOfMethod: [Int] = []
  /// The methods that undo others. None is ever taken away: a task keeps the routes under which it was admitted.
  private(set) var compensations: [[UInt8]] = []

  init(_ routes: [Route]) { load(routes) }

  /// Routes what comes from now on by these.
  mutating func load(_ routes: [Route]) {
    methods = routes.map { Array($0.method.utf8) }
    compensationOfMethod = []
    for route in routes { compensationOfMethod.append(number(ofCompensation: route.compensation)) }
  }

  private mutating func number(ofCompensation method: String?) -> Int {
    guard let method else { return -1 }
    let name = Array(method.utf8)
    if let known = compensations.firstIndex(of: name) { return known }
    compensations.append(name)
    return compensations.count - 1
  }

  /// The number in `compensations` of the method that undoes this request, or -1.
  func compensation(of envelope: Envelope, in bytes: Span<UInt8>) -> Int {
    guard !methods.isEmpty else { return -1 }
    var name: [UInt8] = []
    _ = JSONString.unescape(envelope.method, in: bytes, into: &name)
    guard let route = methods.firstIndex(of: name) else { return -1 }
    return compensationOfMethod[route]
  }
}
