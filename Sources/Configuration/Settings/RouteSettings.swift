package import GatewayCore
import JSONRPC
import TaskStore

/// Defaults of the requests of some methods.
package struct RouteSettings: SettingValues {
  package static let most = 1_024

  /// The core's route, with the settings that it has in the same form.
  package internal(set) var core = Route(method: "")

  package var method = MethodPattern(literal: "", isPrefix: true)
  /// The name of its upstream; nil: the first one.
  package var upstream: UpstreamName?
  package var keyPrefix: WireName?
  package var compensation: MethodName?

  package init() {}

  /// `timeoutMs` as the file has it: 0 stands for "for ever".
  var timeoutMilliseconds: Int? {
    get { core.timeoutMilliseconds.map { $0 == Admission.unlimited ? 0 : Int($0) } }
    set { core.timeoutMilliseconds = newValue.map { $0 > 0 ? UInt32(clamping: $0) : Admission.unlimited } }
  }

  package static let blockName = "route"
  package static let mayRepeat = true
  package static let blockMeaning = [
    "What the requests of some methods get that do not say it themselves; the most specific route applies."
  ]
  package static let settings = ruleSettings + timeSettings + longestTimeSettings

  private static let ruleSettings: [Setting<Self>] = [
    .text("method", \.method, "The methods that it is for; * stands at the end only, for any rest.")
      .required(),
    .text(
      "upstream", \.upstream, sample: "main", "The upstream that they go to, by its name; the first, if none."
    ),
    .text("key", \.core.key, sample: "/textDocument/uri", "Where the params hold the key."),
    .text(
      "keyPrefix", \.keyPrefix, sample: "hover:",
      "What stands before that key, so that methods whose params hold the same do not compete."),
    .boolean("requireKey", \.core.requiresKey, "Whether a request without any key is refused with -32602."),
    .choice("policy", \.core.policy, sample: .cancel, "What happens when the key is busy."),
    .integer(
      "maxRunning", \.core.maxRunning, 1...Int(Admission.largestMaxRunning), .none,
      "With wait and keepLatest: so many of a key's requests may run at once, draining ones included."),
    .choices("policies", \.core.allowedPolicies, "The policies that a request may have."),
    .choice(
      "join", \.core.join, sample: .never,
      "Whether a request may share the answer of the key's newest one; each policy has its own default.\n"
        + "Only always allows requests to say that themselves: they get answers to other params of the same method."
    ),
    .choice(
      "superseded", \.core.superseded,
      "What a superseded request gets: an error, or, with follow, the answer to the newer one of the same method.\n"
        + "Only follow allows requests to say that themselves: they get answers to other params."),
    .integer(
      "priority", \.core.priority, ClosedRange(Route.priorities), .none,
      "Where requests wait for an upstream, the highest goes first, then the oldest."),
    .choice(
      "cancel", \.core.cancel, sample: CancelDialect.none,
      "How upstream hears that they are not wanted; else as it has it."
    ),
    .text(
      "compensate", \.compensation, sample: "session.leave",
      "The method to call when a request that nobody wanted any more has succeeded all the same."),
  ]

  private static let bounds = BoundSettings()
  private static let range = 0...SettingLimit.milliseconds
  private static let timeSettings: [Setting<Self>] = [
    .integer(
      "timeoutMs", \.timeoutMilliseconds, range, .milliseconds,
      sample: bounds.number("timeoutMs"), "As in [bounds], for these methods."),
    .integer(
      "drainMs", \.core.drainMilliseconds, range, .milliseconds, sample: bounds.number("drainMs"),
      "As in [bounds], for these methods."),
    .integer(
      "debounceMs", \.core.debounceMilliseconds, range, .milliseconds, sample: 50,
      "How long a request waits for a newer one to take its place before it is sent."),
    .integer(
      "maxWaitMs", \.core.maxWaitMilliseconds, range, .milliseconds, sample: 500,
      "How long requests that follow each other may put that off; more than debounceMs."),
    .integer(
      "maxStaleMs", \.core.maxStaleMilliseconds, range, .milliseconds, sample: 0,
      "After superseding for so long without an answer, a key's running request is spared; 0: never."),
  ]

  private static let longestTimeSettings: [Setting<Self>] = [
    .integer(
      "longestTimeoutMs", \.core.longestTimeoutMilliseconds, 1...SettingLimit.milliseconds, .milliseconds,
      sample: bounds.number("longestTimeoutMs"),
      "As in [bounds], for these methods; what they get anyway requests may say, too."),
    .integer(
      "longestDrainMs", \.core.longestDrainMilliseconds, range, .milliseconds,
      sample: bounds.number("longestDrainMs"), "As in [bounds], for these methods."),
    .integer(
      "longestDebounceMs", \.core.longestDebounceMilliseconds, range, .milliseconds,
      sample: bounds.number("longestDebounceMs"), "As in [bounds], for these methods."),
    .integer(
      "longestMaxWaitMs", \.core.longestMaxWaitMilliseconds, range, .milliseconds,
      sample: bounds.number("longestMaxWaitMs"), "As in [bounds], for these methods."),
    .integer(
      "longestMaxStaleMs", \.core.longestMaxStaleMilliseconds, range, .milliseconds,
      sample: bounds.number("longestMaxStaleMs"), "As in [bounds], for these methods."),
  ]
}
