package import Identity
package import TaskStore

/// One who may come where a listener asks who that is.
package struct PrincipalSettings: SettingValues {
  package static let most = 1_024

  package var name = PrincipalName(description: "editor")
  /// Its own name, if nil.
  package var namespace: PrincipalName?
  package var tokens: [TokenDigest] = []
  package var users: [UserID] = []
  package var certificates: [CertificateName] = []
  /// Any, if there are none.
  package var methods: [MethodPattern] = []
  package var policies = DuplicatePolicy.allCases
  package var mayCancelByKey = true
  package var mayInspect = true
  package var mayJoin = true
  /// As for all, where nil.
  package var connections: Int?
  package var tasks: Int?
  package var payloadBytes: Int?
  package var requestsPerSecond: Int?
  package var supersessionsPerSecond: Int?
  package var cancelsPerSecond: Int?

  package init() {}

  package static let blockName = "principal"
  package static let blockMeaning = [
    "One who may come to listeners with auth = \"required\", and what that one may do."
  ]
  package static let settings: [Setting<Self>] = [
    .text("name", \.name, "Logs, metrics and pages call it so.").required(),
    .text(
      "namespace", \.namespace, sample: "team-a",
      "Principals of one namespace share keys; by default each has its own, called as itself."),
    .texts(
      "tokens", \.tokens, most: TokenDigest.most,
      sample: ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
      "What its tokens are known by; lastword token makes a token and prints this of it."),
    .texts(
      "users", \.users, most: UserID.most, sample: ["1000"],
      "Numbers of users of this machine who are it when they connect to a Unix socket."),
    .texts(
      "certificates", \.certificates, most: CertificateName.most, sample: ["uri:spiffe://example.org/editor"],
      "What its certificates say, where a listener verifies them (tls.clientCA); the first that is known counts."
    ),
    .texts(
      "methods", \.methods, most: 256, sample: ["search.*"],
      "The methods that it may call, by their names or beginnings; any, if nothing is said."),
    .choices("policies", \.policies, "The policies that its requests may have."),
    .boolean(
      "cancelByKey", \.mayCancelByKey, "Whether it may cancel by key what others of its namespace asked."),
    .boolean("inspect", \.mayInspect, "Whether it may inspect keys."),
    .boolean("join", \.mayJoin, "Whether its requests may share the answer to another's."),
    .integer(
      "connections", \.connections, 1...SettingLimit.count, .none, sample: 100,
      "Its connections at once, instead of connectionsPerPrincipal of [bounds]."),
    .integer(
      "tasks", \.tasks, 1...SettingLimit.count, .none, sample: 1_000,
      "Its tasks that have not ended, of all its connections, instead of tasksPerPrincipal."),
    .integer(
      "payloadBytes", \.payloadBytes, 1024...64 * SettingLimit.bytes, .bytes, sample: 16_777_216,
      "What its open requests may ask, instead of principalPayloadBytes."),
    .integer(
      "requestsPerSecond", \.requestsPerSecond, 0...SettingLimit.count, .none, sample: 500,
      "Its requests and notifications for upstreams in a second; 0: without bound."),
    .integer(
      "supersessionsPerSecond", \.supersessionsPerSecond, 0...SettingLimit.count, .none, sample: 100,
      "Callers that these supersede in a second; 0: without bound."),
    .integer(
      "cancelsPerSecond", \.cancelsPerSecond, 0...SettingLimit.count, .none, sample: 100,
      "What it cancels in a second; 0: without bound."),
  ]

  /// - Parameter usual: what it may take where it does not say it.
  func options(_ usual: Quotas) -> PrincipalOptions {
    var options = PrincipalOptions(name: name.description)
    options.namespace = namespace?.description
    options.tokens = tokens
    options.certificates = certificates
    options.users = users.map(\.number)
    if !methods.isEmpty { options.rules.methods = methods.map { .init($0.literal, isPrefix: $0.isPrefix) } }
    options.rules.policies = policies
    options.rules.mayCancelByKey = mayCancelByKey
    options.rules.mayInspect = mayInspect
    options.rules.mayJoin = mayJoin
    options.quotas = quotas(usual)
    return options
  }
}

extension PrincipalSettings {
  private func quotas(_ usual: Quotas) -> Quotas {
    var quotas = usual
    if let connections { quotas.connections = connections }
    if let tasks { quotas.tasks = tasks }
    if let payloadBytes { quotas.payloadBytes = payloadBytes }
    if let requestsPerSecond { quotas.requestsPerSecond = requestsPerSecond }
    if let supersessionsPerSecond { quotas.supersessionsPerSecond = supersessionsPerSecond }
    if let cancelsPerSecond { quotas.cancelsPerSecond = cancelsPerSecond }
    return quotas
  }
}

/// Whether clients are asked who they are.
package enum Authentication: String, SettingChoice {
  /// Whoever comes is served.
  case none
  /// Principals only.
  case required
}
