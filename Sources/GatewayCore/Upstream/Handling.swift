/// How a request is handled, once it is admitted.
struct Handling {
  /// How upstream is told that nobody wants it any more.
  var cancel: CancelDialect
  /// Upstream does not answer what it was told to give up.
  var endsOnCancel: Bool
  /// The higher goes first where requests wait for an upstream.
  var priority = UInt8(Route.usualPriority)
  /// The router's number of the method that undoes it, or -1.
  @Compact var compensation = -1
}
