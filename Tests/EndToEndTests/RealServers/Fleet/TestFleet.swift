import Foundation
import TestSupport

/// Gateways that are members of one fleet, and one upstream that they share.
final class TestFleet {
  let upstream: RunningUpstream
  private let directory: TemporaryDirectory
  private let common: [String: String]
  private(set) var gateways: [RunningGateway] = []

  /// - Parameters:
  ///   - engines: addresses of one etcd, or URLs.
  ///   - cables: what leads to the first members.
  ///   - papers: what members show each other; nil: they have a secret.
  ///   - environment: what each has besides.
  init(
    members: Int, on engines: [String], cables: [Cable] = [], papers: [String: String]? = nil,
    environment: [String: String] = [:]
  ) throws {
    upstream = try RunningUpstream()
    directory = try TemporaryDirectory()
    common = Self.environment(engines, papers == nil ? try Self.secret(in: directory) : nil)
      .merging(papers ?? [:]) { $1 }.merging(environment) { $1 }
    for number in 0..<members { try start(number < cables.count ? cables[number] : nil) }
    try awaitReady()
  }

  deinit { for gateway in gateways { gateway.program.kill() } }

  /// One more member comes; nobody has asked it anything yet.
  /// - Parameter own: what it has instead of what the others have.
  func start(_ cable: Cable? = nil, _ own: [String: String] = [:]) throws {
    var environment = common.merging(own) { $1 }
    if let cable { environment["LASTWORD_FLEET_LISTEN"] = cable.end }
    if let cable { environment["LASTWORD_FLEET_ADVERTISE"] = cable.address }
    gateways.append(try RunningGateway(upstream: upstream.address, environment: environment))
  }

  /// Every member says that it may be sent requests, and knows of so many.
  func awaitReady(_ count: Int? = nil) throws {
    let count = count ?? gateways.count
    for gateway in gateways {
      try eventually("each partition has a member, and all are linked") {
        let metrics = try gateway.metrics()
        return metrics["lastword_fleet_members"] == Double(count)
          && metrics["lastword_fleet_partitions_unowned"] == 0
          && metrics["lastword_fleet_links"] == Double((count - 1) * RunningGateway.loops)
          && (metrics["lastword_fleet_partitions"] ?? 0) > 0 ? true : nil
      }
    }
  }

  /// A request is counted where its key is.
  func awaitOpen(_ count: Double) throws {
    try eventually("\(count) requests are open") {
      try gateways.reduce(0) { $0 + (try $1.metrics()["lastword_requests_open"] ?? 0) } >= count
        ? true : nil
    }
  }

  /// Where a member is asked by others.
  func peerAddress(of gateway: RunningGateway) throws -> String {
    let status = try AdminAnswer(to: "GET", "/fleet", [], from: gateway.adminAddress).body
    guard let match = status.firstMatch(of: /"member":"[^"]+","address":"([^"]+)"[^}]*"self":1/) else {
      throw NoAddress()
    }
    return String(match.1)
  }

  private struct NoAddress: Error {}

  /// Of each member.
  static func environment(_ engines: [String], _ secret: String?) -> [String: String] {
    var environment = [
      "LASTWORD_FLEET_NAME": "search",
      "LASTWORD_FLEET_ENGINE": engines.map { $0.contains("://") ? "etcd:\($0)" : "etcd:http://\($0)" }
        .joined(separator: ","),
      "LASTWORD_FLEET_LISTEN": "127.0.0.1:0",
      "LASTWORD_BOUNDS_LONGEST_TIMEOUT_MS": "60000",
    ]
    environment["LASTWORD_FLEET_SECRET_FILE"] = secret
    return environment
  }

  /// The file in which it stands.
  static func secret(in directory: TemporaryDirectory) throws -> String {
    let path = directory.path + "/secret"
    try Data(String(repeating: "s", count: 32).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }
}
