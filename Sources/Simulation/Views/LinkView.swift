/// A connection to an upstream as the oracle sees it.
struct LinkView {
  var isUp = false
  /// When there last was no connection, in events, and in turns of the loop.
  var lastDown = 0
  var lastDownTurn = 0
  /// When it had last taken everything that the core had for it, in events, and whether it has not now.
  var lastClean = 0
  var isBacklogged = false
  /// The same when the turn began.
  var wasBacklogged = false
  /// Connections so far.
  var connection = 0
  /// Tasks whose calls were seen on this connection and have not ended, as far as is known, oldest first.
  var calls: [Int] = []
  /// As many as there were when the turn began.
  var callsBefore = 0
  var health = Health()
  /// What its client must hear of it, in order.
  var relays = Expectations()
  /// The answers to its own questions, which it must hear in order.
  var dues = Expectations()
  /// When the message that its client last heard of it was handed to the core.
  var lastRelay = 0
  /// When it was told that nothing more comes; `.max`: not yet.
  var endedMilliseconds = Int.max
  /// Questions of it that the gateway awaits the answers to.
  var openQuestions: [Int] = []
  /// Answers to it may be lacking: there was no room for them.
  var mayLack = false
}
