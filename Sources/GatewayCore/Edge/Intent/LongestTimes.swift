import TaskStore

/// The longest times that a request may ask for itself.
package struct LongestTimes: Hashable, Sendable {
  package var timeoutMilliseconds: UInt32 = 600_000
  package var debounceMilliseconds: UInt32 = 5_000
  package var maxWaitMilliseconds: UInt32 = 30_000
  package var maxStaleMilliseconds: UInt32 = 60_000
  package var drainMilliseconds: UInt32 = 10_000

  package init() {}
}

extension GatewayConfiguration {
  private var longestTimes: [LongestTimes] {
    [LongestTimes(self)] + routes.map { LongestTimes(self, route: $0) }
  }

  /// How long any request may take, and then drain.
  var longestTaskMilliseconds: UInt64 {
    longestTimes.reduce(0) { max($0, UInt64($1.timeoutMilliseconds) + UInt64($1.drainMilliseconds)) }
  }

  /// How long any may drain.
  package var longestDrainMilliseconds: UInt64 {
    longestTimes.reduce(0) { max($0, UInt64($1.drainMilliseconds)) }
  }
}

extension LongestTimes {
  /// The bounds of a route's requests, or of requests without a route. A default is always allowed.
  init(_ configuration: GatewayConfiguration, route: Route? = nil) {
    let usual = configuration.longest
    let timeout = route?.timeoutMilliseconds ?? configuration.timeoutMilliseconds
    func longest(_ own: UInt32?, _ usual: UInt32, unsaid: UInt32?) -> UInt32 {
      own ?? max(usual, unsaid ?? 0)
    }
    timeoutMilliseconds = longest(
      route?.longestTimeoutMilliseconds, usual.timeoutMilliseconds,
      unsaid: timeout == Admission.unlimited ? nil : timeout)
    drainMilliseconds = longest(
      route?.longestDrainMilliseconds, usual.drainMilliseconds,
      unsaid: route?.drainMilliseconds ?? configuration.drainMilliseconds)
    debounceMilliseconds = longest(
      route?.longestDebounceMilliseconds, usual.debounceMilliseconds, unsaid: route?.debounceMilliseconds)
    maxWaitMilliseconds = longest(
      route?.longestMaxWaitMilliseconds, usual.maxWaitMilliseconds, unsaid: route?.maxWaitMilliseconds)
    maxStaleMilliseconds = longest(
      route?.longestMaxStaleMilliseconds, usual.maxStaleMilliseconds, unsaid: route?.maxStaleMilliseconds)
  }
}
