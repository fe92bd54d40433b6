import GatewayCore
import JSONRPC

/// The list of an upstream's settings, in the order of the example.
extension UpstreamSettings {
  package static let blockName = "upstream"
  package static let mayRepeat = true
  package static let blockMeaning = [
    "A JSON-RPC server behind the gateway; requests that no route matches go to the first one."
  ]
  package static let settings =
    [nameSetting, addressSetting, addressesSetting] + wireSettings + cancelSettings + boundSettings
    + commandSettings + urlSettings + exchangeSettings + tlsSettings

  static let nameSetting = Setting<Self>.text("name", \.name, "What routes call it.").required().lasting()
  static let addressSetting = Setting<Self>.text(
    "address", \.address, sample: "demo",
    "Where it is; exec: starts a program, its words quoted as for a shell, and nothing expanded;\n"
      + "demo is a handler of echo, sleep, search and write inside."
  ).lasting()
  static let addressesSetting = Setting<Self>.texts(
    "addresses", \.addresses, most: mostAddresses, sample: ["tcp:10.0.0.1:9000", "tcp:10.0.0.2:9000"],
    "Instead of address: several, all of one kind (tcp: and unix: are one), that do the same work."
  ).lasting()

  static let wireSettings: [Setting<Self>] = [
    .choice(
      "framing", \.framing, sample: .lines,
      "How messages are told apart: lines, if nothing is said, or Content-Length headers."
    ).lasting(),
    .boolean(
      "trustAnswers", \.core.trustsAnswers,
      "Whether its answers, which must be lines, are passed on unchecked behind their ids: what is malformed in\n"
        + "them reaches clients as it is."
    ).lasting(),
    .boolean(
      "perConnection", \.isPerConnection,
      "Whether each client connection has one there for itself, and gets what comes over it."
    ).lasting(),
    .boolean(
      "hard", \.isHard,
      "Whether each request has a connection or child of its own, which is closed to cancel it."
    ).lasting(),
    .choice(
      "cancel", \.cancel, sample: .lsp,
      "How it hears that an answer is not wanted: $/cancelRequest (lsp), notifications/cancelled (mcp), by\n"
        + "cancelMethod (notification), by the end of its exchange (abort, as http and hard have it), not at all."
    ).lasting(),
    .boolean(
      "passTask", \.core.passesTask,
      "Whether what is left of timeoutMs, and traceparent, go along in task: it is a lastword, too."
    ).lasting(),
    .boolean(
      "passFence", \.core.passesFence,
      "Whether in a fleet partition, epoch and generation of what has a key go along in fence: it can then refuse\n"
        + "what comes of a member that has the key no more."
    ).lasting(),
    .boolean(
      "passProgress", \.core.passesProgress,
      "Whether clients, which share it, hear what progress it reports of their requests: $/progress and\n"
        + "notifications/progress. The tokens that they name it by are replaced by the gateway's own there."
    ).lasting(),
    .integer(
      "keepAliveMs", \.keepAliveMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      "After so long without a word, rounded up to whole seconds, it is asked over TCP if it is still there;\n"
        + "0: never."
    ).lasting(),
  ]

  static let cancelSettings: [Setting<Self>] = [
    .text(
      "cancelMethod", \.cancelMethod, sample: "session/abort",
      "The method of the notification by which it hears of that."
    ).lasting(),
    .text(
      "cancelMember", \.cancelMember, sample: "id",
      "The member of its params that holds the id; id, if nothing is said."
    ).lasting(),
    .boolean(
      "cancelAnswered", \.cancelAnswered, sample: true,
      "Whether the cancelled request is still answered; it is, if nothing is said."
    ).lasting(),
  ]

  private static let bounds = BoundSettings()
  static let boundSettings: [Setting<Self>] = [
    .integer(
      "connectMs", \.core.connectMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      sample: bounds.number("connectMs"), "As in [bounds], for this upstream."),
    .integer(
      "answerMs", \.core.answerMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      sample: bounds.number("answerMs"), "As in [bounds], for this upstream."),
    .integer(
      "maxInFlight", \.core.inFlightPerEndpoint, 1...SettingLimit.count, .none,
      sample: bounds.core.inFlightPerEndpoint,
      "As inFlightPerEndpoint in [bounds], for this upstream; with http and hard it is \(usualExchanges) unless given."
    ),
    .integer(
      "maxInFlightPerConnection", \.core.inFlightPerConnection, 1...SettingLimit.count, .none,
      sample: bounds.core.inFlightPerEndpoint / 4 * 3,
      "Of those, at all addresses together, the most of one client connection; others of it wait.\n"
        + "Three quarters unless given, so that there is always room for other connections."),
    .integer(
      "maxWaiting", \.core.waitingRequests, 1...SettingLimit.count, .none,
      sample: bounds.core.waitingPerUpstream,
      "As waitingPerUpstream in [bounds], for this upstream."),
    .integer(
      "outputSoftBytes", \.core.outputSoftBytes, 1024...SettingLimit.bytes, .bytes,
      sample: bounds.core.upstreamOutputSoftBytes,
      "As upstreamOutputSoftBytes in [bounds], for this upstream."),
    .integer(
      "outputHardBytes", \.core.outputHardBytes, 1024...SettingLimit.bytes, .bytes,
      sample: bounds.core.upstreamOutputHardBytes,
      "As upstreamOutputHardBytes in [bounds], for this upstream."),
  ]

  static let commandSettings: [Setting<Self>] = [
    .text(
      "directory", \.directory, sample: "/srv/project", "Where it is started; as lastword was, if not given."
    )
    .lasting(),
    .texts(
      "environment", \.environment, most: EnvironmentEntry.most, sample: ["PYTHONUNBUFFERED=1", "API_KEY"],
      "What its environment has besides PATH, HOME, LANG and the like: of lastword's own it gets nothing else."
    ).lasting(),
    .integer(
      "graceMs", \.graceMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
      sample: usualGraceMilliseconds,
      "How long it gets to leave when it is not needed any more, and again after SIGTERM."
    ).lasting(),
  ]

  static let tlsSettings: [Setting<Self>] = [
    .text(
      "tls.ca", \.tlsCA, sample: "/etc/lastword/private-ca.pem",
      "A PEM file: who vouches for it; those whom the system trusts, if not given. A reload reads it anew."),
    .text(
      "tls.certificate", \.tlsCertificate, sample: "/etc/lastword/gateway.pem",
      "A PEM file: the gateway's own certificate, for one that asks."),
    .text(
      "tls.key", \.tlsKey, sample: "/etc/lastword/gateway.key", "A PEM file with its key, not encrypted."),
    .text(
      "tls.serverName", \.tlsServerName, sample: "search.example",
      "The name that its certificate has to be for; that of the address, if not given."
    ).lasting(),
  ]

  static let urlSettings: [Setting<Self>] = [
    .texts(
      "headers", \.headers, most: HTTPHeader.most, sample: ["Authorization: Bearer 5f0c"],
      "What goes with each request; config show leaves the values out."
    ).lasting(),
    .text(
      "caFile", \.caFile, sample: "/etc/ssl/private-ca.pem",
      "The certificates that are trusted; those of the system, if not given."
    ).lasting(),
    .integer(
      "maxConnections", \.connections, 1...SettingLimit.count, .none, sample: usualExchanges,
      "Connections at once, each with one request; with mcp+http for each client."
    ).lasting(),
  ]

  static let exchangeSettings: [Setting<Self>] = [
    .text(
      "deadlineHeader", \.deadlineHeader, sample: "X-Timeout-Ms",
      "The header that says how many milliseconds its caller still waits."
    ).lasting(),
    .boolean(
      "stopsWhenAborted", \.stopsWhenAborted, sample: true,
      "Whether it stops working on a request that is given up: its caller then hears cancelSent."
    ).lasting(),
  ]
}
