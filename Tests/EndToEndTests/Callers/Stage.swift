import Foundation
import TestSupport

/// A gateway with a configuration file, before an upstream of the test's own.
final class Stage {
  let directory: TemporaryDirectory
  let listener: ListeningSocket
  let gateway: RunningGateway
  let upstream: LineSocket
  private let path: String

  /// - Parameters:
  ///   - bounds: lines for `[bounds]` of the configuration.
  ///   - listen: lines for its `[[listen]]`.
  ///   - upstream: lines for its `[[upstream]]`.
  ///   - more: what follows.
  ///   - isUnix: it listens on a Unix socket.
  ///   - environment: what the gateway has besides the test's.
  init(
    bounds: String = "", listen: String = "", upstream: String = "", more: String = "", isUnix: Bool = false,
    environment: [String: String] = [:]
  ) throws {
    directory = try TemporaryDirectory()
    listener = try ListeningSocket()
    path = directory.path + "/lastword.toml"
    let text = ConfigurationFile.text(
      bounds: bounds, address: isUnix ? "unix:\(directory.path)/socket" : "127.0.0.1:0", listen: listen,
      upstream: "address = \"\(listener.address)\"\n\(upstream)", more: more)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    gateway = try RunningGateway(["--config", path], listen: [], environment: environment)
    self.upstream = try listener.acceptGateway(environment)
  }

  /// Has the gateway reload its file with another text instead of this one.
  func reload(_ old: String, as new: String) throws {
    try ConfigurationFile.replace(old, by: new, in: path, of: gateway)
  }
}
