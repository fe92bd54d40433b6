import Identity
import TaskStore

/// The settings that principals and issuers share.
package protocol RuleSettings: SettingValues {
  var granted: RuleValues { get set }
}

extension RuleSettings {
  /// - Parameters:
  ///   - who: a word for the principal in the meanings, such as "it".
  ///   - whose: the possessive of that, such as "its".
  static func ruleSettings(_ who: String, _ whose: String) -> [Setting<Self>] {
    [
      .texts(
        "methods", \.granted.methods, most: PrincipalOptions.mostMethods, sample: ["search.*"],
        "The methods that \(who) may call, by their names or beginnings; any, if nothing is said."),
      .choices("policies", \.granted.policies, "The policies that \(whose) requests may have."),
      .boolean(
        "cancelByKey", \.granted.mayCancelByKey,
        "Whether \(who) may cancel by key what others of \(whose) namespace asked."),
      .boolean("inspect", \.granted.mayInspect, "Whether \(who) may inspect keys."),
      .boolean("join", \.granted.mayJoin, "Whether \(whose) requests may share the answer to another's."),
      .integer(
        "connections", \.granted.quotas.connections, 1...SettingLimit.count, .none, sample: 100,
        "A principal's connections at once, instead of connectionsPerPrincipal of [bounds]."),
      .integer(
        "tasks", \.granted.quotas.tasks, 1...SettingLimit.count, .none, sample: 1_000,
        "Tasks of all its connections that have not ended, instead of tasksPerPrincipal."),
      .integer(
        "callers", \.granted.quotas.callers, 0...SettingLimit.count, .none, sample: 2_000,
        "Its requests that wait for an answer, instead of callersPerPrincipal; 0: a quarter of waiters."),
      .integer(
        "payloadBytes", \.granted.quotas.payloadBytes, 1024...64 * SettingLimit.bytes, .bytes,
        sample: 16_777_216,
        "What its open requests may ask, instead of principalPayloadBytes."),
      .integer(
        "requestsPerSecond", \.granted.quotas.requestsPerSecond, 0...SettingLimit.count, .none, sample: 500,
        "Its requests and notifications for upstreams in a second; 0: without bound."),
      .integer(
        "supersessionsPerSecond", \.granted.quotas.supersessionsPerSecond, 0...SettingLimit.count, .none,
        sample: 100,
        "Callers that these supersede in a second; 0: without bound."),
      .integer(
        "cancelsPerSecond", \.granted.quotas.cancelsPerSecond, 0...SettingLimit.count, .none, sample: 100,
        "What it cancels in a second; 0: without bound."),
    ]
  }
}
