import Addresses
import GatewayCore
import JSONRPC
import TOML

/// Complaints about upstreams that contradict themselves.
extension FileConfiguration {
  var upstreamComplaints: [Complaint] {
    duplicates(of: "name", in: upstreams) { $0.values.name } + upstreams.flatMap(complaints)
      + upstreams.compactMap(ownListener)
  }

  private func complaints(about upstream: Section<UpstreamSettings>) -> [Complaint] {
    let ofAddress = upstream.hasAddress ? misplaced(in: upstream) + misfits(in: upstream) : []
    return ofAddress
      + [
        missingAddress(of: upstream), twoAddresses(of: upstream), doublyOwn(upstream),
        missingCancelMethod(of: upstream), idleCancelMethod(of: upstream), softAboveHard(of: upstream),
        crowdedConnections(of: upstream), shareAboveAll(of: upstream), halfIdentity(of: upstream),
      ].compactMap { $0 } + idleCancelDetails(of: upstream)
  }

  // MARK: Addresses

  private func missingAddress(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isWithoutAddress, upstream.isSound("address", "addresses") else { return nil }
    return Complaint(upstream.origin, "[[upstream]] needs 'address' or 'addresses'")
  }

  private func twoAddresses(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isGiven("address"), upstream.isGiven("addresses") else { return nil }
    return upstream.complaint(
      about: "address", "addresses", "'address' and 'addresses' exclude each other: all belong in 'addresses'"
    )
  }

  /// A complaint about an upstream whose address is the gateway's own: requests would run in a circle.
  private func ownListener(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.hasAddress else { return nil }
    for endpoint in upstream.endpoints {
      guard let address = endpoint.socketAddress,
        let listener = listeners.first(where: { $0.isSound("address") && address.reaches($0.address) })
      else { continue }
      return Complaint(
        upstream.origin(of: upstream.isGiven("addresses") ? "addresses" : "address"),
        "\(Quoted.text(endpoint.description)) is this gateway itself, which listens there: "
          + "\(listener.origin(of: "address"))")
    }
    return nil
  }

  /// Complaints about settings that belong to another kind of address.
  private func misplaced(in upstream: Section<UpstreamSettings>) -> [Complaint] {
    var others: [(settings: [Setting<UpstreamSettings>], address: String)] = []
    if upstream.kind != .command { others.append((UpstreamSettings.commandSettings, "an exec: address")) }
    switch upstream.kind {
    case .http: break
    case .mcp: others.append((UpstreamSettings.exchangeSettings, "an http: or https: address"))
    default:
      others.append((UpstreamSettings.exchangeSettings, "an http: or https: address"))
      others.append((UpstreamSettings.urlSettings, "an http:, https: or mcp+http: address"))
    }
    if upstream.kind != .tls { others.append((UpstreamSettings.tlsSettings, "a tls: address")) }
    return others.flatMap { settings, address in
      settings.filter { upstream.isGiven($0.name) }.map {
        Complaint(upstream.origin(of: $0.name), "'\($0.name)' says nothing without \(address)")
      }
    }
  }

  /// Complaints about values that do not go with this kind of address.
  private func misfits(in upstream: Section<UpstreamSettings>) -> [Complaint] {
    let isURL = upstream.kind == .http || upstream.kind == .mcp
    let ownExchange =
      upstream.kind == .mcp
      ? "with mcp+http, where each client has a session of its own"
      : "with http, where each request is an exchange of its own"
    let found: [(Bool, String, String)] = [
      (isURL && upstream.isGiven("framing"), "framing", "says nothing \(ownExchange)"),
      (isURL && upstream.core.trustsAnswers, "trustAnswers", "says nothing \(ownExchange)"),
      (
        upstream.isHard && upstream.core.trustsAnswers, "trustAnswers",
        "says nothing with 'hard', where each answer is read whole"
      ),
      (
        upstream.framing == .contentLength && upstream.core.trustsAnswers, "trustAnswers",
        "must not be true without lines: behind a header, an answer could hold a line break"
      ),
      (isURL && upstream.isPerConnection, "perConnection", "says nothing \(ownExchange)"),
      (
        upstream.isPerConnection && upstream.isGiven("maxInFlightPerConnection"), "maxInFlightPerConnection",
        "says nothing with 'perConnection', where each client connection has all of it"
      ),
      (isURL && upstream.isHard, "hard", "says nothing \(ownExchange)"),
      (
        upstream.core.passesFence && upstream.isPerConnection, "passFence",
        "says nothing with 'perConnection', whose keys no other member has"
      ),
      (isURL && upstream.core.passesProgress, "passProgress", "says nothing \(ownExchange)"),
      (
        upstream.core.passesProgress && upstream.isPerConnection, "passProgress",
        "says nothing with 'perConnection', where each client hears all that its own upstream says"
      ),
      (
        upstream.core.passesProgress && upstream.isHard, "passProgress",
        "says nothing with 'hard', where each request is an exchange of its own"
      ),
      (
        upstream.kind == .demo && upstream.framing == .contentLength, "framing",
        "must be 'lines' with demo"
      ),
      (upstream.kind == .demo && upstream.isHard, "hard", "says nothing with demo"),
      (
        isURL && upstream.isGiven("caFile") && !upstream.endpoints.contains(where: \.isSecure), "caFile",
        "says nothing without an https: address"
      ),
      (
        upstream.cancel == .abort && !upstream.takesExchanges && upstream.isSound("hard"), "cancel",
        "must not be 'abort' without 'hard': the connection carries other requests, too"
      ),
    ]
    return found.filter { $0.0 }.map { Complaint(upstream.origin(of: $0.1), "'\($0.1)' \($0.2)") }
  }

  private func doublyOwn(_ upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isHard, upstream.isPerConnection else { return nil }
    return upstream.complaint(
      about: "hard", "perConnection",
      "'hard' and 'perConnection' exclude each other: a connection is there for one request, or for one client"
    )
  }

  // MARK: Cancelling

  private func missingCancelMethod(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.cancel == .notification, upstream.cancelMethod == nil, upstream.isSound("cancelMethod")
    else { return nil }
    return Complaint(
      upstream.origin(of: "cancel"), "'cancel' must not be 'notification' without 'cancelMethod'")
  }

  private func idleCancelMethod(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isGiven("cancelMethod"), upstream.isSound("cancel", "name"),
      upstream.cancel != .notification, !isNotifiedByRoute(upstream)
    else { return nil }
    return Complaint(
      upstream.origin(of: "cancelMethod"),
      "'cancelMethod' says nothing: neither 'cancel' nor that of a route is 'notification'")
  }

  /// Whether a route cancels by notification, or may do so, as its value was refused.
  private func isNotifiedByRoute(_ upstream: Section<UpstreamSettings>) -> Bool {
    routes.contains { route in
      guard route.isSound("cancel"), let target = self.upstream(of: route) else { return true }
      return route.core.cancel == .notification && target.name == upstream.name
    }
  }

  private func idleCancelDetails(of upstream: Section<UpstreamSettings>) -> [Complaint] {
    guard upstream.cancelMethod == nil, upstream.isSound("cancelMethod") else { return [] }
    return ["cancelMember", "cancelAnswered"].filter(upstream.isGiven).map {
      Complaint(upstream.origin(of: $0), "'\($0)' says nothing without 'cancelMethod'")
    }
  }

  // MARK: Bounds

  private func softAboveHard(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isSound("outputSoftBytes", "outputHardBytes"),
      bounds.isSound("upstreamOutputSoftBytes", "upstreamOutputHardBytes"),
      upstream.isGiven("outputSoftBytes") || upstream.isGiven("outputHardBytes")
    else { return nil }
    let soft = upstream.core.outputSoftBytes ?? bounds.core.upstreamOutputSoftBytes
    let hard = upstream.core.outputHardBytes ?? bounds.core.upstreamOutputHardBytes
    guard soft > hard else { return nil }
    return upstream.complaint(
      about: "outputSoftBytes", "outputHardBytes",
      "'outputSoftBytes' (\(soft)) must not be more than 'outputHardBytes' (\(hard))")
  }

  private func shareAboveAll(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.hasAddress, bounds.isSound("inFlightPerEndpoint"),
      upstream.isSound("maxInFlight", "maxConnections", "maxInFlightPerConnection", "hard"),
      let share = upstream.core.inFlightPerConnection
    else { return nil }
    let all = inFlightRequests(of: upstream.values)
    guard share > all else { return nil }
    return upstream.complaint(
      about: "maxInFlightPerConnection", "maxInFlight",
      "'maxInFlightPerConnection' (\(share)) must not be more than all addresses work on at once (\(all))")
  }

  private func crowdedConnections(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.hasAddress, upstream.kind == .http || upstream.kind == .mcp,
      upstream.isSound("maxInFlight", "maxConnections"),
      let requests = upstream.core.inFlightPerEndpoint
    else { return nil }
    let connections = upstream.connections ?? UpstreamSettings.usualExchanges
    guard requests > connections else { return nil }
    return upstream.complaint(
      about: "maxInFlight", "maxConnections",
      "'maxInFlight' (\(requests)) must not be more than 'maxConnections' (\(connections))")
  }
}

extension Section<UpstreamSettings> {
  fileprivate var isWithoutAddress: Bool {
    origin != .standard && !isGiven("address") && !isGiven("addresses")
  }

  /// Whether its address is known.
  var hasAddress: Bool { !isWithoutAddress && isSound("address", "addresses") }
}
