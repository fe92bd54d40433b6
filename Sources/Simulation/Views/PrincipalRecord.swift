/// What a principal did that its quotas count: times, oldest first, as the gateway handled the messages.
struct PrincipalRecord {
  /// Valid requests and notifications, whatever became of them.
  var requests: [Int] = []
  /// Requests that surely took one from its rate; requests that superseded something; cancels.
  var taken: [Int] = []
  var superseding: [Int] = []
  var cancels: [Int] = []
  var answeredCancels: [Int] = []
}
