import HotData
import JSONRPC

/// A client's connection, named by a number that is free again once it is closed.
package struct ClientID: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}

/// An upstream, by its place in the configuration.
package struct UpstreamID: Hashable, Sendable {
  package let index: Int
  package init(index: Int) { self.index = index }
}

/// One client connection: what it half sent, what it still gets, and which of its requests are open.
struct ClientSession: ~Copyable {
  var framer: MessageFramer
  var output: OutputQueue
  /// Bytes of answers that wait for the others of their batches.
  var batchBytes = 0
  let listener: ListenerOptions
  /// Who shares keys with it: all clients of its listener, and, where it asks for that, itself alone.
  let sharedNamespace: UInt64
  let ownNamespace: UInt64
  /// Its requests that are not answered yet, oldest first.
  var openRequests = SlotList()
  var unanswered = 0
  var isFirstMessage = true
  var isDirty = false
  /// The peer sent FIN: it gets its answers, then the connection closes.
  var hasEnded = false
  /// Nothing more is read; it closes once its output is sent.
  var isClosing = false
  var isReadingPaused = false

  /// How its answers are framed: as what it sends.
  var framing: Framing { framer.framing ?? .lines }
}

/// One upstream connection: its state, what it half sent, what it still gets, and the calls it works on.
struct UpstreamSession: ~Copyable {
  enum State: Equatable {
    case connecting
    case connected
    case resting(untilMilliseconds: UInt64)
  }

  let cancel: CancelDialect
  /// How long a task waits for it while it is not connected.
  var connectMilliseconds: UInt64 = 0
  /// Above the soft bound of unsent output tasks stay here, above the hard one they are refused.
  var outputSoftBytes = 0
  var outputHardBytes = 0
  var framer: LineFramer
  var output: OutputQueue
  var state = State.connecting
  var attempts = 0
  /// When the last connection was lost: what waits has its time to wait for another from then on.
  var lostMilliseconds: UInt64 = 0
  /// Calls sent on this connection, oldest first.
  var sent = SlotList()
  /// Calls that wait for a connection or for room, oldest first.
  var waiting = SlotList()
  var waitingBytes = 0
  /// It sent garbage: the shell still has to close its connection.
  var mustDisconnect = false
}

/// A task as the gateway knows it: where it goes, and how far it got.
struct Call {
  enum Progress: UInt8 {
    /// Not started: it is in its lane's queue, or there is no task.
    case held
    /// Started, and waiting for an upstream connection or for room in its output.
    case waiting
    /// Written to the upstream connection.
    case sent
    /// Sent, and told to cancel.
    case cancelSent
    /// It succeeded though nobody wanted it any more, and upstream was asked to undo it.
    case compensating
  }

  var upstream = 0
  var progress = Progress.held
  var isNotification = false
  /// It may have a key, so that others may join it while it runs.
  var isKeyed = false
  var methodBytes = 0
  /// The router's number of the method that undoes it, or -1.
  var compensation = -1
  var admittedMilliseconds: UInt64 = 0
  var startedMilliseconds: UInt64 = 0
}
