/// What counts at each bound before a request that comes alone, less what that request surely makes room for. Only a
/// bound that these numbers reach may refuse it.
struct Room {
  var unanswered: Int
  var tasks: Int
  var callers: Int
  var ownTasks: Int
  var requestBytes: Int
  /// Bytes of its client's requests, and the most that another client's have.
  var ownRequestBytes: Int
  var mostRequestBytes = 0
  /// Of its client's principal.
  var principalTasks: Int
  var principalCallers: Int
  var principalBytes: Int
  var waiting: Int
  /// What is queued in its lane goes.
  var emptiesQueue = false
  /// Something does.
  var makesRoom = false
}
