import LibUV

/// What each setting by itself cannot show: settings that contradict each other.
extension FileConfiguration {
  var inconsistencies: [Complaint] {
    boundComplaints + adminComplaints + duplicateListeners + upstreamComplaints + routeComplaints
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

  // MARK: Duplicates

  func duplicates<Values, Identity: Hashable>(
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
  func complaint(about one: String, _ other: String, _ message: String) -> Complaint {
    let later = origin(of: one).sortKey < origin(of: other).sortKey ? other : one
    return Complaint(origin(of: later), message)
  }
}
