import Foundation
import TestSupport

/// A conversation that the contract gives as an example, and how the gateway must be set up for it.
struct Transcript: CustomStringConvertible, Sendable {
  let path: String

  var description: String {
    let parts = path.split(separator: "/").suffix(2)
    return parts.joined(separator: "/")
  }

  /// The configuration that lies beside it, if any.
  var configuration: String? {
    let file = folder + "/lastword.toml"
    return FileManager.default.fileExists(atPath: file) ? file : nil
  }

  /// Whether the gateway is told to stop in it.
  func stopsTheGateway() throws -> Bool { try lines().contains("!!") }

  /// Whether the runner is the gateway's upstream in it.
  func playsUpstream() throws -> Bool { try lines().contains { $0.hasPrefix("^^ ") } }

  private var folder: String { (path as NSString).deletingLastPathComponent }

  private func lines() throws -> [Substring] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
  }

  /// A gateway as the transcript wants it, started where the files lie that its configuration names.
  /// - Parameter upstream: where it finds its upstream; nil: as it is configured.
  func gateway(upstream: String?) throws -> RunningGateway {
    guard let configuration else { return try RunningGateway() }
    return try RunningGateway(
      upstream: upstream, ["--config", configuration], listen: [], reachesUpstream: upstream == nil,
      through: ["/usr/bin/env", "--chdir", folder])
  }

  static let directory = Contract.directory + "/transcripts"

  static let all: [Transcript] = {
    let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted().map { Transcript(path: directory + "/" + $0) }
  }()
}
