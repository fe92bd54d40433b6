import GatewayCore
import JSONRPC
import TOML
import TaskStore

/// Complaints about routes that contradict themselves or other settings.
extension FileConfiguration {
  var routeComplaints: [Complaint] {
    duplicates(of: "method", in: routes) { $0.values.method } + routes.flatMap(complaints)
  }

  private func complaints(about route: Section<RouteSettings>) -> [Complaint] {
    [
      longMethod(of: route), badPrefix(of: route), unknownUpstream(of: route), forbiddenPolicy(of: route),
      badJoin(of: route), shortWait(of: route), impossibleCancel(of: route), unheardCancel(of: route),
      severalUndone(of: route), badFollowing(of: route),
    ].compactMap { $0 } + shortTimes(of: route)
  }

  private func longMethod(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("method"), bounds.isSound("methodBytes") else { return nil }
    let byteCount = route.values.method.literal.utf8.count
    guard byteCount > bounds.core.scan.methodBytes else { return nil }
    return Complaint(
      route.origin(of: "method"),
      "'method' has \(byteCount) bytes, and no request may have more than 'methodBytes' (\(bounds.core.scan.methodBytes))"
    )
  }

  private func badPrefix(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("key"), bounds.isSound("keyBytes"), let prefix = route.keyPrefix else { return nil }
    let origin = route.origin(of: "keyPrefix")
    guard route.core.key != nil else { return Complaint(origin, "'keyPrefix' says nothing without 'key'") }
    let byteCount = prefix.description.utf8.count
    guard byteCount >= bounds.core.keyBytes else { return nil }
    return Complaint(
      origin,
      "'keyPrefix' has \(byteCount) bytes, and no key may have more than 'keyBytes' (\(bounds.core.keyBytes))"
    )
  }

  private func unknownUpstream(of route: Section<RouteSettings>) -> Complaint? {
    // The route may mean an upstream whose name was refused: no second complaint then.
    guard let name = route.values.upstream, upstreams.allSatisfy({ $0.isSound("name") }) else { return nil }
    let names = upstreams.map(\.values.name.description)
    guard !names.contains(name.description) else { return nil }
    return Complaint(
      route.origin(of: "upstream"),
      "no upstream is named \(Quoted.text(name.description))"
        + NearestName.hint(for: name.description, among: names))
  }

  private func forbiddenPolicy(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("policy", "policies") else { return nil }
    let policy = route.core.policy ?? .cancel
    guard !route.core.allowedPolicies.contains(policy) else { return nil }
    let isDefault = route.core.policy == nil
    return Complaint(
      route.origin(of: isDefault ? "policies" : "policy"),
      "'policies' does not allow '\(policy.name)'" + (isDefault ? ", which is the default of 'policy'" : ""))
  }

  private func badJoin(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("policy", "join"), let join = route.core.join else { return nil }
    let policy = route.core.policy ?? .cancel
    guard !policy.allows(join) else { return nil }
    return Complaint(
      route.origin(of: "join"), "'join' must not be '\(join.name)' with the policy '\(policy.name)'")
  }

  private func badFollowing(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("policy", "superseded"), route.core.superseded == .follow else { return nil }
    let policy = route.core.policy ?? .cancel
    guard !policy.allowsFollowing else { return nil }
    return Complaint(
      route.origin(of: "superseded"), "'superseded' must not be 'follow' with the policy '\(policy.name)'")
  }

  private func shortWait(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("debounceMs", "maxWaitMs"), let wait = route.core.maxWaitMilliseconds else {
      return nil
    }
    guard let debounce = route.core.debounceMilliseconds else {
      return Complaint(route.origin(of: "maxWaitMs"), "'maxWaitMs' says nothing without 'debounceMs'")
    }
    guard wait <= debounce else { return nil }
    return Complaint(
      route.origin(of: "maxWaitMs"), "'maxWaitMs' (\(wait)) must be more than 'debounceMs' (\(debounce))")
  }

  /// Complaints about a longest time below the route's own default: requests must be allowed to ask for the default.
  private func shortTimes(of route: Section<RouteSettings>) -> [Complaint] {
    // 0 stands for "for ever", and is not compared.
    let timeout = UInt32(clamping: route.timeoutMilliseconds ?? bounds.values.number("timeoutMs"))
    let times: [(String, UInt32?, String, UInt32?)] = [
      ("timeoutMs", timeout, "longestTimeoutMs", route.core.longestTimeoutMilliseconds),
      (
        "drainMs", route.core.drainMilliseconds ?? bounds.core.drainMilliseconds, "longestDrainMs",
        route.core.longestDrainMilliseconds
      ),
      (
        "debounceMs", route.core.debounceMilliseconds, "longestDebounceMs",
        route.core.longestDebounceMilliseconds
      ),
      (
        "maxWaitMs", route.core.maxWaitMilliseconds, "longestMaxWaitMs", route.core.longestMaxWaitMilliseconds
      ),
      (
        "maxStaleMs", route.core.maxStaleMilliseconds, "longestMaxStaleMs",
        route.core.longestMaxStaleMilliseconds
      ),
    ]
    return times.compactMap { name, time, longestName, longest in
      guard route.isSound(name, longestName), bounds.isSound("timeoutMs", "drainMs") else { return nil }
      guard let time, let longest, time > longest else { return nil }
      return route.complaint(
        about: name, longestName, "'\(name)' (\(time)) must not be more than '\(longestName)' (\(longest))")
    }
  }

  /// A complaint about `compensate` with `maxRunning`: a late undoing could undo the work of another request.
  private func severalUndone(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("maxRunning", "compensate"), route.compensation != nil, route.core.maxRunning > 1
    else {
      return nil
    }
    return Complaint(
      route.origin(of: "maxRunning"),
      "'maxRunning' (\(route.core.maxRunning)) must be 1 with 'compensate': of what may be undone one runs at a time"
    )
  }

  // MARK: Cancelling

  /// The upstream of a route; nil: its name is wrong.
  func upstream(of route: Section<RouteSettings>) -> Section<UpstreamSettings>? {
    guard route.isSound("upstream"), upstreams.allSatisfy({ $0.isSound("name") }) else { return nil }
    guard let name = route.values.upstream else { return upstreams.first }
    return upstreams.first { $0.values.name == name }
  }

  private func impossibleCancel(of route: Section<RouteSettings>) -> Complaint? {
    guard let cancel = route.core.cancel, let upstream = upstream(of: route), upstream.hasAddress,
      upstream.isSound("hard", "cancelMethod")
    else { return nil }
    let what: String
    switch cancel {
    case .abort where !upstream.takesExchanges: what = "neither an http: address nor 'hard'"
    case .notification where upstream.cancelMethod == nil: what = "no 'cancelMethod'"
    default: return nil
    }
    return Complaint(
      route.origin(of: "cancel"),
      "'cancel' must not be '\(cancel.name)': the upstream \(Quoted.text(upstream.name.description)) has \(what)"
    )
  }

  private func unheardCancel(of route: Section<RouteSettings>) -> Complaint? {
    guard let cancel = route.core.cancel, route.compensation != nil else { return nil }
    let isHeard =
      switch cancel {
      case .lsp, .none: true
      case .notification: upstream(of: route)?.cancelAnswered ?? true
      case .mcp, .abort: false
      }
    guard !isHeard else { return nil }
    return route.complaint(
      about: "cancel", "compensate",
      "'cancel' must not be '\(cancel.name)' with 'compensate': nobody hears whether there is something to undo"
    )
  }
}
