package import TaskStore

/// What a principal may do beyond its own requests.
package struct Rules: Hashable, Sendable {
  /// A method's name, or what it begins with; compared as bytes.
  package struct Method: Hashable, Sendable {
    private let bytes: [UInt8]
    private let isPrefix: Bool

    package init(_ name: String, isPrefix: Bool = false) {
      bytes = Array(name.utf8)
      self.isPrefix = isPrefix
    }

    fileprivate func matches(_ method: Span<UInt8>) -> Bool {
      guard isPrefix ? method.count >= bytes.count : method.count == bytes.count else { return false }
      for index in bytes.indices where method[index] != bytes[index] { return false }
      return true
    }
  }

  /// The methods that it may call; nil: any.
  package var methods: [Method]?
  package var policies = DuplicatePolicy.allCases
  /// Whether it may cancel what others of its namespace asked, by key.
  package var mayCancelByKey = true
  package var mayInspect = true
  /// Whether it may share the answer to a request of another's.
  package var mayJoin = true

  package init() {}

  /// For whom nobody knows: it may do nothing.
  package static let nothing: Rules = {
    var rules = Rules()
    rules.methods = []
    rules.policies = []
    rules.mayCancelByKey = false
    rules.mayInspect = false
    rules.mayJoin = false
    return rules
  }()

  package var restrictsMethods: Bool { methods != nil }

  /// - Parameter method: its bytes, without escapes.
  package func allows(_ method: Span<UInt8>) -> Bool {
    guard let methods else { return true }
    for allowed in methods where allowed.matches(method) { return true }
    return false
  }

  package func allows(_ policy: DuplicatePolicy) -> Bool { policies.contains(policy) }
}
