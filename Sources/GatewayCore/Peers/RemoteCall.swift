/// A call to another loop, and the waiter here.
struct RemoteCall: BitwiseCopyable {
  /// The call's number; 0: nobody waits.
  var number: UInt64 = 0
  var loop: Int32 = -1
  /// The waiter whose answer is put together of this one's and others'; 0: the answer is this one's.
  var gathering: Int32 = 0
  /// Whose it is.
  var client: Int32 = -1
  /// It asks for one of our own methods, which nobody takes back.
  var isOwn = false
  /// Of a fleet; -1: it is about none.
  var partition: Int16 = -1
  /// Of a fleet: the hash of its key; 0: it is about none.
  var name: UInt64 = 0
  /// Its client has taken it back: should it come back, it is not sent again.
  var isTakenBack = false
  /// It waits no longer than its caller says, by this loop's own clock.
  var hasDeadline = false
  /// So many pieces of the answer its caller got.
  var pieces: UInt32 = 0

  /// Nobody has been asked yet: it waits here.
  var isParked: Bool { loop < 0 }
}
