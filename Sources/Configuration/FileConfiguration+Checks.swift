import GatewayCore
import LibUV
import TaskStore

/// What each setting by itself cannot show: settings that contradict each other.
extension FileConfiguration {
  var inconsistencies: [Complaint] {
    boundComplaints + duplicateListeners + duplicateUpstreams + upstreams.flatMap(complaints)
      + duplicateRoutes + routes.flatMap(complaints)
  }

  // MARK: Bounds

  private var boundComplaints: [Complaint] {
    let pairs: [(String, KeyPath<BoundSettings, Int>, String, KeyPath<BoundSettings, Int>)] = [
      (
        "clientOutputSoftBytes", \.clientOutputSoftBytes, "clientOutputHardBytes", \.clientOutputHardBytes
      ),
      (
        "upstreamOutputSoftBytes", \.upstreamOutputSoftBytes, "upstreamOutputHardBytes",
        \.upstreamOutputHardBytes
      ),
      ("messageBytes", \.messageBytes, "payloadBytes", \.payloadBytes),
      (
        "firstBackOffMs", \.firstBackOffMilliseconds, "lastBackOffMs", \.lastBackOffMilliseconds
      ),
    ]
    return pairs.compactMap { small, smallField, large, largeField in
      guard bounds.isSound(small, large) else { return nil }
      let (low, high) = (bounds.values[keyPath: smallField], bounds.values[keyPath: largeField])
      guard low > high else { return nil }
      return bounds.complaint(
        about: small, large, "'\(small)' (\(low)) must not be more than '\(large)' (\(high))")
    }
  }

  // MARK: Listeners

  private var duplicateListeners: [Complaint] {
    duplicates(of: "address", in: listeners) { listener -> SocketAddress? in
      // Port 0 is another one each time.
      return if case .tcp(_, 0) = listener.address { nil } else { listener.address }
    }
  }

  // MARK: Upstreams

  private var duplicateUpstreams: [Complaint] { duplicates(of: "name", in: upstreams) { $0.values.name } }

  private func complaints(about upstream: Section<UpstreamSettings>) -> [Complaint] {
    guard upstream.isSound("outputSoftBytes", "outputHardBytes"),
      bounds.isSound("upstreamOutputSoftBytes", "upstreamOutputHardBytes"),
      upstream.isGiven("outputSoftBytes") || upstream.isGiven("outputHardBytes")
    else { return [] }
    let soft = upstream.outputSoftBytes ?? bounds.upstreamOutputSoftBytes
    let hard = upstream.outputHardBytes ?? bounds.upstreamOutputHardBytes
    guard soft > hard else { return [] }
    return [
      upstream.complaint(
        about: "outputSoftBytes", "outputHardBytes",
        "'outputSoftBytes' (\(soft)) must not be more than 'outputHardBytes' (\(hard))")
    ]
  }

  // MARK: Routes

  private var duplicateRoutes: [Complaint] { duplicates(of: "method", in: routes) { $0.values.method } }

  private func complaints(about route: Section<RouteSettings>) -> [Complaint] {
    [
      longMethod(of: route), unknownUpstream(of: route), forbiddenPolicy(of: route), badJoin(of: route),
      shortWait(of: route),
    ].compactMap { $0 }
  }

  private func longMethod(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("method"), bounds.isSound("methodBytes") else { return nil }
    let byteCount = route.values.method.literal.utf8.count
    guard byteCount > bounds.methodBytes else { return nil }
    return Complaint(
      route.origin(of: "method"),
      "'method' has \(byteCount) bytes, and no request may have more than 'methodBytes' (\(bounds.methodBytes))"
    )
  }

  private func unknownUpstream(of route: Section<RouteSettings>) -> Complaint? {
    // A name that was refused may be the one that is meant.
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
    let policy = route.values.policy ?? .cancel
    guard !route.allowedPolicies.contains(policy) else { return nil }
    let isDefault = route.values.policy == nil
    return Complaint(
      route.origin(of: isDefault ? "policies" : "policy"),
      "'policies' does not allow '\(policy.name)'" + (isDefault ? ", which is the default of 'policy'" : ""))
  }

  private func badJoin(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("policy", "join"), let join = route.join else { return nil }
    let policy = route.values.policy ?? .cancel
    guard !policy.allows(join) else { return nil }
    return Complaint(
      route.origin(of: "join"), "'join' must not be '\(join.name)' with the policy '\(policy.name)'")
  }

  private func shortWait(of route: Section<RouteSettings>) -> Complaint? {
    guard route.isSound("debounceMs", "maxWaitMs"), let wait = route.maxWaitMilliseconds else { return nil }
    guard let debounce = route.debounceMilliseconds else {
      return Complaint(route.origin(of: "maxWaitMs"), "'maxWaitMs' says nothing without 'debounceMs'")
    }
    guard wait <= debounce else { return nil }
    return Complaint(
      route.origin(of: "maxWaitMs"), "'maxWaitMs' (\(wait)) must be more than 'debounceMs' (\(debounce))")
  }

  // MARK: Duplicates

  private func duplicates<Values, Identity: Hashable>(
    of name: String, in sections: [Section<Values>], _ identity: (Section<Values>) -> Identity?
  ) -> [Complaint] {
    var first: [Identity: Origin] = [:]
    return sections.filter { $0.isSound(name) }.compactMap { section in
      guard let key = identity(section) else { return nil }
      guard let earlier = first[key] else {
        first[key] = section.origin(of: name)
        return nil
      }
      let text = Values.setting(name)?.read(section.values)?.toml ?? ""
      return Complaint(
        section.origin(of: name),
        "'\(name)' is \(text) a second time; the first is at \(earlier)")
    }
  }
}

extension Section {
  /// At the place of the later of two settings, or of the one that was given.
  fileprivate func complaint(about one: String, _ other: String, _ message: String) -> Complaint {
    let later = origin(of: one).sortKey < origin(of: other).sortKey ? other : one
    return Complaint(origin(of: later), message)
  }
}
