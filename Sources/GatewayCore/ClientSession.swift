import HotData
import JSONRPC

/// A client's connection, named by a number that is free again once it is closed.
package struct ClientID: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}

/// A connection to one of an upstream's endpoints, named by a number that is free again once it is closed.
package struct UpstreamID: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}

/// One client connection: what it half sent, what it still gets, and which of its requests are open.
struct ClientSession: ~Copyable {
  var framer: MessageFramer
  var output: OutputQueue
  /// Bytes of answers that wait for the others of their batches.
  var batchBytes = 0
  /// What upstreams of its own have asked it so far: the last number that one of these requests got.
  var askedSoFar: UInt64 = 0
  let listener: ListenerOptions
  /// Who shares keys with it: all clients of its listener, and, where it asks for that, itself alone.
  let sharedNamespace: UInt64
  let ownNamespace: UInt64
  /// Its requests that are not answered yet, oldest first.
  var openRequests = OpenRequests()
  /// The upstreams that it has a connection of its own to.
  var ownUpstreams: [Int] = []
  var unanswered = 0
  var isFirstMessage = true
  var isDirty = false
  /// The peer sent FIN: it gets its answers, then the connection closes.
  var hasEnded = false
  /// Nothing more is read; it closes once its output is sent.
  var isClosing = false
  /// What it had at an upstream of its own is gone: it gets the answers that are left, then it closes.
  var isLeaving = false
  var isReadingPaused = false
  /// It closes now, whatever it has not been sent.
  var isGivenUp = false
  var waitsFor = ClientPatience.Wait.nothing
  /// Since when it waits for that.
  var waitsSinceMilliseconds: UInt64 = 0

  var isReading: Bool { !isClosing && !isLeaving }

  /// How its answers are framed: as what it sends.
  var framing: Framing { framer.framing ?? .lines }
}
