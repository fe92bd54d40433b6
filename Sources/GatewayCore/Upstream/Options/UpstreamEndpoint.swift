/// One of the addresses of an upstream.
package struct UpstreamEndpoint: Hashable, Sendable {
  /// By its place in the configuration.
  package let upstream: Int
  /// By its place among the upstream's addresses.
  package let endpoint: Int

  package init(upstream: Int, endpoint: Int) {
    self.upstream = upstream
    self.endpoint = endpoint
  }
}
