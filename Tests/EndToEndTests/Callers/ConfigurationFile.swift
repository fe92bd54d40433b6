/// The text of a configuration with one listener and one upstream.
enum ConfigurationFile {
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
