#if HTTPUpstreams
import GatewayCore

/// Why a message is never sent.
struct HTTPRefusal {
  let failure: ExchangeFailure
  let reason: String

  init(_ failure: ExchangeFailure, _ reason: String) {
    self.failure = failure
    self.reason = reason
  }

  static let outOfMemory = HTTPRefusal(.untried, "libcurl is out of memory")
  static let lineIsFull = HTTPRefusal(.untried, "too much waits for it already")
  static let isTooLate = HTTPRefusal(.untried, "its time was over before it had a connection")
}
#endif
