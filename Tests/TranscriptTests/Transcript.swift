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
    let file = (path as NSString).deletingLastPathComponent + "/lastword.toml"
    return FileManager.default.fileExists(atPath: file) ? file : nil
  }

  /// Whether the gateway is told to stop in it.
  func stopsTheGateway() throws -> Bool {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").contains("!!")
  }

  /// A gateway as the transcript wants it.
  func gateway() throws -> RunningGateway {
    guard let configuration else { return try RunningGateway() }
    return try RunningGateway(["--config", configuration], listen: [])
  }

  static let directory = Contract.directory + "/transcripts"

  static let all: [Transcript] = {
    let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".txt") }.sorted().map { Transcript(path: directory + "/" + $0) }
  }()
}
