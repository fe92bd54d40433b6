/// What decides whether callers go from one task to another; only of tasks of a kind.
struct Following: BitwiseCopyable {
  /// Of what kind it is; never 0.
  var kind: Int32
  /// Whether it is known of each of its callers if that one follows.
  var knowsFollowers = false
  /// Some of its answer has been given.
  var hasGivenPiece = false
}
