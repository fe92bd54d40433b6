import Addresses

/// Complaints about settings that contradict each other, which no setting shows by itself.
extension FileConfiguration {
  var inconsistencies: [Complaint] {
    boundComplaints + adminComplaints + exposedListeners + duplicateListeners + idleModes
      + listeners.flatMap(tlsComplaints) + listeners.flatMap(browserComplaints) + principalComplaints
      + upstreamComplaints + routeComplaints + fleetComplaints
  }

  // MARK: Bounds

  private var boundComplaints: [Complaint] {
    let pairs = [
      ("clientOutputSoftBytes", "clientOutputHardBytes"),
      ("upstreamOutputSoftBytes", "upstreamOutputHardBytes"),
      ("messageBytes", "payloadBytes"), ("messageBytes", "memoryBytes"), ("firstBackOffMs", "lastBackOffMs"),
    ]
    return (pairs + longestTimes).compactMap { small, large in
      guard bounds.isSound(small, large) else { return nil }
      let (low, high) = (bounds.values.number(small), bounds.values.number(large))
      // The machine sets this bound.
      guard low > high, high > 0 || large != "memoryBytes" else { return nil }
      return bounds.complaint(
        about: small, large, "'\(small)' (\(low)) must not be more than '\(large)' (\(high))")
    }
  }

  /// The pairs of a default time and the longest time that requests may ask for. A longest time that is not given
  /// leaves room for the default.
  private var longestTimes: [(String, String)] {
    [("timeoutMs", "longestTimeoutMs"), ("drainMs", "longestDrainMs")].filter { bounds.isGiven($0.1) }
  }

  // MARK: Listeners

  private var duplicateListeners: [Complaint] {
    let sound = listeners.filter { $0.isSound("address") }
    return sound.indices.compactMap { place -> Complaint? in
      let listener = sound[place]
      guard let first = sound[..<place].first(where: { $0.address.collides(with: listener.address) }) else {
        return nil
      }
      let (address, origin) = (listener.address.description, listener.origin(of: "address"))
      let earlier = first.origin(of: "address")
      guard first.address != listener.address else {
        return Complaint(
          origin, "'address' is \(SettingValue.text(address).toml) a second time; the first is at \(earlier)")
      }
      return Complaint(
        origin,
        "'address' is \(SettingValue.text(address).toml), which \(SettingValue.text(first.address.description).toml) has already: \(earlier)"
      )
    }
  }

  private var idleModes: [Complaint] {
    listeners.filter { $0.isGiven("mode") && $0.isSound("address", "mode") }.compactMap { listener in
      guard case .tcp = listener.address else { return nil }
      return Complaint(listener.origin(of: "mode"), "'mode' says nothing without a unix: address")
    }
  }

  // MARK: Duplicates

  func duplicates<Values, Identity: Hashable>(
    of name: String, in sections: [Section<Values>], _ identity: (Section<Values>) -> Identity?
  ) -> [Complaint] {
    repetitions(of: name, in: sections, { identity($0).map { [$0] } ?? [] }) { section, _ in
      "is \(Values.setting(name)?.read(section.values)?.toml ?? "")"
    }
  }

  /// Complaints about items that are repeated, in one section or in a later one.
  /// - Parameter verdict: the verb for the message: a setting "is" or "has" the item.
  func repetitions<Values, Item: Hashable>(
    of name: String, in sections: [Section<Values>], _ items: (Section<Values>) -> [Item],
    _ verdict: (Section<Values>, Item) -> String
  ) -> [Complaint] {
    var first: [Item: Origin] = [:]
    return sections.filter { $0.isSound(name) }.flatMap { section in
      let origin = section.origin(of: name)
      return items(section).compactMap { item -> Complaint? in
        guard let earlier = first[item] else {
          first[item] = origin
          return nil
        }
        return Complaint(
          origin, "'\(name)' \(verdict(section, item)) a second time; the first is at \(earlier)")
      }
    }
  }
}

extension Section {
  /// A complaint about two settings, at the place of the later one, or of the only one that was given.
  func complaint(about one: String, _ other: String, _ message: String) -> Complaint {
    Complaint(laterOrigin(one, other), message)
  }

  /// The same as a warning.
  func warning(about one: String, _ other: String, _ message: String) -> Complaint {
    Complaint(warningAt: laterOrigin(one, other), message)
  }

  private func laterOrigin(_ one: String, _ other: String) -> Origin {
    origin(of: origin(of: one).sortKey < origin(of: other).sortKey ? other : one)
  }
}
