/// A cancel as the bundled upstream heard it, by the clock that all processes of a machine share.
struct HeardCancel: Hashable, Sendable {
  /// Of the request.
  var number: UInt64
  var nanoseconds: UInt64
  /// When upstream had given an answer that supersedes the request; 0: it had given none.
  var overtakenNanoseconds: UInt64
}
