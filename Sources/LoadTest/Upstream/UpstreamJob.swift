/// A request that the bundled upstream works on.
struct UpstreamJob {
  /// The connection that it came over.
  var conversation: Int
  var id: UInt64
  var question: UpstreamQuestion
  var plan: UpstreamPlan
  var arrival: UInt64
  var startNanoseconds: UInt64
  var dueNanoseconds: UInt64
  var isCancelled = false
  /// So many pieces of its answer were given.
  var givenPieces = 0
}
