import LibUV
import Synchronization

/// Tells a loop to stop, even if the loop does not exist yet, or not any more.
final class StopRequest: Sendable {
  private struct State {
    var isMade = false
    var sender: Mailbox<Void>.Sender?
  }

  private let state = Mutex(State())

  func make() {
    state.withLock {
      $0.isMade = true
      $0.sender?.send(())
    }
  }

  func attach(_ sender: Mailbox<Void>.Sender) {
    state.withLock {
      $0.sender = sender
      if $0.isMade { sender.send(()) }
    }
  }
}
