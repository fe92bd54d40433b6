import GatewayCore
import JSONRPC

/// The handler or upstream of some methods, and the options of requests that do not set them.
struct Registration: Sendable {
  typealias Handler = @Sendable (Request) async throws -> [UInt8]

  enum Target: Sendable {
    case handler(Handler)
    case server(String, CancelNotice)
  }

  /// The method or prefix as it was registered, for messages.
  let pattern: String
  let target: Target
  /// The route, complete but for its upstream.
  let route: Route

  init(_ pattern: String, _ target: Target, key: String?, policy: Policy, _ options: MethodOptions) {
    Self.check(pattern)
    options.check(policy, for: pattern)
    self.pattern = pattern
    self.target = target
    let isPrefix = pattern.utf8.last == UInt8(ascii: "*")
    var route = Route(method: isPrefix ? String(pattern.dropLast()) : pattern)
    route.isPrefix = isPrefix
    route.key = key.map { Self.pointer($0, of: pattern) }
    route.policy = policy.storePolicy
    if case .server(_, let notice) = target { route.cancel = notice.dialect }
    options.apply(to: &route)
    self.route = route
  }

  /// Compares bytes: Swift would take two names that only look alike for the same.
  func isForTheSame(as other: Registration) -> Bool { pattern.utf8.elementsEqual(other.pattern.utf8) }

  private static func check(_ pattern: String) {
    if let fault = fault(of: pattern) { preconditionFailure(fault) }
  }

  /// Why the pattern cannot be registered; nil if it can.
  static func fault(of pattern: String) -> String? {
    let bytes = pattern.utf8
    if bytes.isEmpty { return "a method has a name" }
    if bytes.count > WireLimits.methodBytes { return "\(pattern) is longer than a method may be" }
    if bytes.dropLast().contains(UInt8(ascii: "*")) { return "\(pattern): a * stands at the end only" }
    let isOwn =
      ["lastword.", "rpc."].contains { bytes.starts(with: $0.utf8) } || pattern == "$/cancelRequest"
    return isOwn ? "\(pattern) is the gateway's own" : nil
  }

  private static func pointer(_ text: String, of pattern: String) -> JSONPointer {
    guard let pointer = try? JSONPointer(text) else {
      preconditionFailure("\(pattern): \(text) is no JSON Pointer; one begins with a slash")
    }
    return pointer
  }
}
