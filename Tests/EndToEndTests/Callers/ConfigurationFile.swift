import Foundation
import TestSupport

/// The text of a configuration with one listener and one upstream.
enum ConfigurationFile {
  /// Has a gateway reload its file with another text instead of one.
  static func replace(_ old: String, by new: String, in path: String, of gateway: RunningGateway) throws {
    let file = URL(fileURLWithPath: path)
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: file)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
  }

  /// - Parameters:
  ///   - bounds: lines for `[bounds]`.
  ///   - address: where it listens.
  ///   - listen: further lines for `[[listen]]`.
  ///   - upstream: lines for `[[upstream]]`, but for its name.
  ///   - more: what follows.
  static func text(
    bounds: String, address: String = "127.0.0.1:0", listen: String = "", upstream: String,
    more: String = ""
  ) -> String {
    """
    [bounds]
    \(bounds)
    [[listen]]
    address = "\(address)"
    \(listen)
    [[upstream]]
    name = "main"
    \(upstream)
    \(more)
    """
  }
}
