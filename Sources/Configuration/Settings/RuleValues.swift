import Identity
package import TaskStore

/// The rules and quotas of principals.
package struct RuleValues: Sendable {
  /// The methods that may be called; empty: all.
  package var methods: [MethodPattern] = []
  package var policies = DuplicatePolicy.allCases
  package var mayCancelByKey = true
  package var mayInspect = true
  package var mayJoin = true
  package var quotas = QuotaSettings()

  package init() {}

  var rules: Rules {
    var rules = Rules()
    if !methods.isEmpty { rules.methods = methods.map { .init($0.literal, isPrefix: $0.isPrefix) } }
    rules.policies = policies
    rules.mayCancelByKey = mayCancelByKey
    rules.mayInspect = mayInspect
    rules.mayJoin = mayJoin
    return rules
  }
}
