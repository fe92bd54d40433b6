/// What a principal has done of what its quotas count: when, oldest first as the gateway handled it.
struct PrincipalRecord {
  /// Valid requests and notifications, whatever became of them.
  var requests: [Int] = []
  /// Those that surely took one of what its rate allows; requests that superseded something; cancels.
  var taken: [Int] = []
  var superseding: [Int] = []
  var cancels: [Int] = []
  var answeredCancels: [Int] = []
}
