import Identity
import TaskStore

/// Who the clients of a simulated gateway can be: the users of its machine, and who has a token.
enum Population {
  /// The first two share keys. The last may do less than others; behind it come those who are nobody.
  static let principals = 3
  static let restricted = 2
  static let users = principals + 1
  static let tokens = principals + 1

  static let all: [PrincipalOptions] = (0..<principals).map { number in
    var options = PrincipalOptions(name: name(number))
    options.namespace = number == restricted ? nil : "shared"
    options.users = [UInt32(number)]
    options.tokens = TokenDigest(of: Array(token(number).utf8)).map { [$0] } ?? []
    if number == restricted { options.rules = rules }
    return options
  }

  private static let rules: Rules = {
    var rules = Rules()
    rules.policies = restrictedPolicies
    rules.mayJoin = false
    rules.mayCancelByKey = false
    rules.mayInspect = false
    return rules
  }()

  static let restrictedPolicies: [DuplicatePolicy] = [.cancel, .wait, .preferPrevious]

  static func name(_ number: Int) -> String { "p\(number)" }
  static func token(_ number: Int) -> String { "token-\(number)" }
}

/// Who a client is.
enum Person: Hashable {
  /// Nobody is asked.
  case anyone
  case unknown
  case known(Int)

  /// Those of the same number share keys.
  var namespace: Int {
    switch self {
    case .anyone, .unknown: 0
    case .known(let number): number == Population.restricted ? 2 : 1
    }
  }
  static let namespaces = 3

  var isRestricted: Bool { self == .known(Population.restricted) }
}
