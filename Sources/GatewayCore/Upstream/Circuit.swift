/// The circuit breaker of an endpoint: one that fails too often in a row gets no requests for a while.
enum Circuit: Equatable {
  /// It gets requests. It has failed so often in a row.
  case closed(failures: Int)
  /// It gets none until then. From then on it is half-open: it gets one at a time, until one is answered, which closes
  /// it, or fails, which opens it again.
  case open(untilMilliseconds: UInt64)

  @inline(__always)
  var isClosed: Bool { if case .closed = self { true } else { false } }

  /// Whether it gets no requests now.
  @inline(__always)
  func isOpen(at nowMilliseconds: UInt64) -> Bool {
    if case .open(let until) = self { until > nowMilliseconds } else { false }
  }

  func isHalfOpen(at nowMilliseconds: UInt64) -> Bool { !isClosed && !isOpen(at: nowMilliseconds) }

  /// It answered.
  @inline(__always)
  mutating func close() { self = .closed(failures: 0) }

  /// It failed once more. Returns whether it is to be opened now.
  /// - Parameter limit: how many failures in a row open it.
  mutating func fail(limit: Int, at nowMilliseconds: UInt64) -> Bool {
    guard case .closed(let failures) = self else { return isHalfOpen(at: nowMilliseconds) }
    self = .closed(failures: failures + 1)
    return failures + 1 >= limit
  }
}
