import Addresses
import LibUV
import LoadTest
import TaskStore

/// The options of a run, from its flags.
extension LoadFlags {
  static let usualDepth = 16
  static let usualBehaviour = UpstreamBehaviour.jitter(from: 1, to: 20)
  private static let usualPaddingBytes = 64
  private var cancelMilliseconds: UInt64 { cancelAfterMs ?? 2 }

  func options(to address: SocketAddress) -> LoadOptions {
    var options = LoadOptions(address: address)
    options.members = member
    options.transport = transport
    options.workload = wanted
    options.pace = pace
    options.method = method
    options.expectsEcho = !anyAnswer
    options.milliseconds = UInt64(seconds * 1_000)
    options.warmUpMilliseconds = UInt64(warmUp * 1_000)
    options.requests = requests
    options.timeoutMilliseconds = patienceMs
    options.openLimit = maxOpen
    options.cancelMilliseconds = cancelMilliseconds
    options.disconnectsPerSecond = disconnects
    options.upstreamAddress = upstreamAt
    return options
  }

  private var wanted: Workload {
    var workload = Workload()
    workload.connections = connections
    workload.keys = keys
    workload.sharesKeys = sharedKeys
    workload.ordersKeys = !severalLoops && member.isEmpty
    workload.choice = self.workload
    workload.policies = noKeys ? nil : policies ?? PolicyMix(policy ?? .cancel)
    workload.paddingBytes = padding ?? (size == nil ? Self.usualPaddingBytes : 0)
    workload.sizeBytes = size?.bytes ?? 0...0
    workload.pieces.count = pieces
    workload.pieces.milliseconds = pieceMs
    workload.pieces.paddingBytes = piecePadding
    workload.cancelShare = cancels
    workload.seed = seed
    return workload
  }

  private var pace: LoadOptions.Pace {
    if workload == .typing { return .typing }
    return rate.map { .open($0) } ?? .closed(depth: depth ?? Self.usualDepth)
  }

  /// The settings at the beginning of a report.
  func settings(of options: LoadOptions) -> [LoadMeasurement.Setting] {
    let workload = options.workload
    var settings: [LoadMeasurement.Setting] = [
      .init("gateway", to?.description ?? "its own"),
      .init("upstream", to == nil ? "its own, \(behaviour ?? Self.usualBehaviour)" : "the gateway's"),
      .init("connections", "\(workload.connections)"), .init("pace", pace.description),
      .init("keys", keysText(workload)), .init("policy", workload.policies?.description ?? "none (no keys)"),
    ]
    if transport != .all(.lines) { settings.insert(.init("transport", transportText(options)), at: 3) }
    if !member.isEmpty {
      settings.insert(.init("members", member.map(\.description).joined(separator: ", ")), at: 1)
    }
    if let size { settings.append(.init("size", "\(size.bytes.lowerBound)..\(size.bytes.upperBound) bytes")) }
    if pieces > 0 {
      let padding = piecePadding > 0 ? ", \(piecePadding) bytes of padding in each" : ""
      settings.append(.init("pieces", "\(pieces) of each answer, every \(pieceMs) ms\(padding)"))
    }
    if cancels > 0 {
      settings.append(
        .init("cancels", "\((cancels * 100).shortest) % of the requests, after \(cancelMilliseconds) ms"))
    }
    if disconnects > 0 { settings.append(.init("disconnects", "\(disconnects.shortest)/s")) }
    settings.append(.init("duration", duration))
    settings.append(.init("seed", "\(workload.seed)"))
    return settings
  }

  private func transportText(_ options: LoadOptions) -> String {
    let workload = options.workload
    let drawn = transport.transports(clients: workload.connections, seed: workload.seed)
    let counts = LoadTransport.allCases.map { transport in
      (transport, drawn.count { $0 == transport })
    }
    let text =
      transport == .mix
      ? "mix: " + counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", ")
      : transport.description
    guard drawn.contains(where: \.posts) else { return text }
    return "\(text); for POSTs \(options.connectionsOfPosts) connections each"
  }

  private var duration: String {
    let least = requests > 0 ? ", or \(requests) requests" : ""
    return "\(seconds.shortest) s\(least)" + (warmUp > 0 ? " after a warm-up of \(warmUp.shortest) s" : "")
  }

  private func keysText(_ workload: Workload) -> String {
    guard workload.policies != nil else { return "none" }
    return "\(workload.keys) \(workload.sharesKeys ? "shared" : "each"), \(workload.choice)"
  }
}

extension LoadOptions.Pace: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closed(let depth): "closed loop, \(depth) open on each"
    case .open(let schedule): "open loop, \(schedule)"
    case .typing: "open loop, as people type"
    }
  }
}
