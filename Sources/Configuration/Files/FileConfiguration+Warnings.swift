import Addresses
import GatewayCore
import TOML
import TaskStore

/// Warnings about settings that are allowed but hardly meant.
extension FileConfiguration {
  /// All warnings: first those about bounds, then routes in the order of the file, then open addresses.
  package var warnings: [Complaint] {
    unknownVariables + unkeptMessages + idleBounds + [boundlessTimes, idleStreams].compactMap { $0 }
      + idleProbes + upstreams.compactMap(repeatedAddress)
      + routes.compactMap(uselessPolicy) + openSockets + openPages
      + openLinks + principals.compactMap(idleConnections) + idlePrincipals + unreachablePrincipals
      + unusedToken
  }

  /// Warnings about settings without an effect in `lastword wrap`, which has no address and one client.
  package var idleInWrap: [Complaint] {
    [
      idle(log), idle(admin), idle(fleet), idle(listeners.first), idle(principals.first), idle(issuers.first),
    ].compactMap { $0 }
      + replacedInUpstream.map {
        Complaint(
          warningAt: $0.origin,
          "'\($0.name)' of [[upstream]] says nothing with lastword wrap, whose flags and words say it")
      }
  }

  private func idle<Values>(_ section: Section<Values>?) -> Complaint? {
    section?.fileOrigin.map {
      Complaint(warningAt: $0, "\(Values.shownBlock) says nothing with lastword wrap")
    }
  }

  /// A warning about a token for admin pages without their address: the address may be mistyped.
  private var unusedToken: [Complaint] {
    guard admin.isGiven("token"), admin.values.address == nil else { return [] }
    return [
      Complaint(
        warningAt: admin.origin(of: "token"),
        "'token' of [admin] says nothing without 'address': there are no admin pages")
    ]
  }

  /// A warning about a message bound above the memory for requests, a quarter of `memoryBytes`: a longer request would
  /// always be refused.
  private var unkeptMessages: [Complaint] {
    let (message, memory) = (bounds.core.messageLimitBytes, bounds.core.memoryBytes)
    let room = memory / GatewayConfiguration.requestPart
    guard bounds.isGiven("memoryBytes"), memory > 0, message > room else { return [] }
    return [
      Complaint(
        warningAt: bounds.origin(of: bounds.isGiven("messageBytes") ? "messageBytes" : "memoryBytes"),
        "'messageBytes' (\(message)) is more than \(room), a quarter of 'memoryBytes' (\(memory)), which is all that "
          + "requests may ask: longer ones are refused")
    ]
  }

  /// A bound on a part that exceeds the bound on the whole has no effect. If only the whole is lowered, that is fine.
  private var idleBounds: [Complaint] {
    let pairs = [
      ("unauthenticatedConnections", "connections"), ("connectionsPerPrincipal", "connections"),
      ("tasksPerConnection", "tasks"), ("tasksPerPrincipal", "tasks"),
      ("callersPerPrincipal", "waiters"),
      ("queuePerLane", "tasksPerLane"), ("callersPerTask", "waiters"),
      ("unauthenticatedBytes", "messageBytes"),
      ("principalPayloadBytes", "payloadBytes"), ("pieceBytes", "messageBytes"),
      ("unreadPieceBytes", "clientOutputHardBytes"),
    ]
    return pairs.compactMap { part, whole in
      let (most, all) = (bounds.values.number(part), bounds.values.number(whole))
      guard bounds.isGiven(part), most > all else { return nil }
      return Complaint(
        warningAt: bounds.origin(of: part),
        "'\(part)' (\(most)) is more than '\(whole)' (\(all)), which bounds the same: it says nothing")
    }
  }

  /// A warning about `timeoutMs = 0` with a longest timeout: a request without a timeout may wait for ever, but one
  /// that names a timeout may not.
  private var boundlessTimes: Complaint? {
    guard bounds.isGiven("timeoutMs"), bounds.isGiven("longestTimeoutMs"),
      bounds.values.number("timeoutMs") == 0
    else { return nil }
    return bounds.warning(
      about: "timeoutMs", "longestTimeoutMs",
      "'timeoutMs' (0) is without bound, and what requests say themselves may not be more than "
        + "'longestTimeoutMs' (\(bounds.values.number("longestTimeoutMs")))")
  }

  private var idleStreams: Complaint? {
    guard admin.isGiven("streams"), admin.streams > admin.connections else { return nil }
    return Complaint(
      warningAt: admin.origin(of: "streams"),
      "'streams' (\(admin.streams)) of [admin] is more than 'connections' (\(admin.connections)), which bounds the "
        + "same: it says nothing")
  }

  private var idleProbes: [Complaint] {
    listeners.compactMap(idleKeepAlive) + upstreams.compactMap(idleKeepAlive)
  }

  /// A warning about keep-alive where it has no effect. The default is no mistake: `config show` prints it for every
  /// listener.
  private func idleKeepAlive(of listener: Section<ListenerSettings>) -> Complaint? {
    guard case .unix = listener.address, listener.isGiven("keepAliveMs"),
      listener.keepAliveMilliseconds != ListenerSettings().keepAliveMilliseconds
    else { return nil }
    return Complaint(
      warningAt: listener.origin(of: "keepAliveMs"), "'keepAliveMs' says nothing without an address of TCP")
  }

  /// The same about an upstream to which no TCP connection leads.
  private func idleKeepAlive(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isGiven("keepAliveMs"), !upstream.endpoints.contains(where: \.isOverTCP),
      upstream.keepAliveMilliseconds != UpstreamSettings().keepAliveMilliseconds
    else { return nil }
    return Complaint(
      warningAt: upstream.origin(of: "keepAliveMs"), "'keepAliveMs' says nothing without an address of TCP")
  }

  private func idleConnections(of principal: Section<PrincipalSettings>) -> Complaint? {
    let all = bounds.core.connections
    guard let own = principal.values.granted.quotas.connections, own > all else { return nil }
    return Complaint(
      warningAt: principal.origin(of: "connections"),
      "'connections' (\(own)) is more than 'connections' (\(all)) of [bounds], which bounds the same: it says nothing"
    )
  }

  /// A warning about an address that is given twice, except commands, each of which is a child of its own.
  private func repeatedAddress(of upstream: Section<UpstreamSettings>) -> Complaint? {
    var seen: Set<UpstreamAddress> = []
    guard upstream.kind != .command,
      let repeated = upstream.endpoints.first(where: { !seen.insert($0).inserted })
    else { return nil }
    return Complaint(
      warningAt: upstream.origin(of: "addresses"),
      "'addresses' has \(Quoted.text(repeated.description)) a second time: it gets twice as much as the others"
    )
  }

  /// A warning about a route with a policy but without a key.
  private func uselessPolicy(of route: Section<RouteSettings>) -> Complaint? {
    guard route.core.key == nil, !route.core.requiresKey, route.core.policy != .concurrent else { return nil }
    guard
      let name = [
        "policy", "maxRunning", "join", "superseded", "debounceMs", "maxStaleMs",
      ].first(where: route.isGiven)
    else {
      return nil
    }
    return Complaint(
      warningAt: route.origin(of: name),
      "'\(name)' is for requests with a key, and this route has no 'key': those without one supersede nothing; "
        + "if all bring their own, say 'requireKey = true'")
  }
}
