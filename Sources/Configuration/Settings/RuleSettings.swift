package import Identity
package import TaskStore

/// Settings of those who are known: what they may do.
package protocol RuleSettings: SettingValues {
  /// Any, if there are none.
  var methods: [MethodPattern] { get set }
  var policies: [DuplicatePolicy] { get set }
  var mayCancelByKey: Bool { get set }
  var mayInspect: Bool { get set }
  var mayJoin: Bool { get set }
  var quotas: QuotaSettings { get set }
}

extension RuleSettings {
  /// - Parameters:
  ///   - who: whom they are about, as "it".
  ///   - whose: the same, as "its".
  static func ruleSettings(_ who: String, _ whose: String) -> [Setting<Self>] {
    [
      .texts(
        "methods", \.methods, most: 256, sample: ["search.*"],
        "The methods that \(who) may call, by their names or beginnings; any, if nothing is said."),
      .choices("policies", \.policies, "The policies that \(whose) requests may have."),
      .boolean(
        "cancelByKey", \.mayCancelByKey,
        "Whether \(who) may cancel by key what others of \(whose) namespace asked."),
      .boolean("inspect", \.mayInspect, "Whether \(who) may inspect keys."),
      .boolean("join", \.mayJoin, "Whether \(whose) requests may share the answer to another's."),
      .integer(
        "connections", \.quotas.connections, 1...SettingLimit.count, .none, sample: 100,
        "A principal's connections at once, instead of connectionsPerPrincipal of [bounds]."),
      .integer(
        "tasks", \.quotas.tasks, 1...SettingLimit.count, .none, sample: 1_000,
        "Tasks of all its connections that have not ended, instead of tasksPerPrincipal."),
      .integer(
        "payloadBytes", \.quotas.payloadBytes, 1024...64 * SettingLimit.bytes, .bytes, sample: 16_777_216,
        "What its open requests may ask, instead of principalPayloadBytes."),
      .integer(
        "requestsPerSecond", \.quotas.requestsPerSecond, 0...SettingLimit.count, .none, sample: 500,
        "Its requests and notifications for upstreams in a second; 0: without bound."),
      .integer(
        "supersessionsPerSecond", \.quotas.supersessionsPerSecond, 0...SettingLimit.count, .none, sample: 100,
        "Callers that these supersede in a second; 0: without bound."),
      .integer(
        "cancelsPerSecond", \.quotas.cancelsPerSecond, 0...SettingLimit.count, .none, sample: 100,
        "What it cancels in a second; 0: without bound."),
    ]
  }

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
