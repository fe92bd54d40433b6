import CLibUV
import Synchronization

/// The one way into a loop from another thread: values go in anywhere, come out on the loop, in order.
///
/// It holds as many values as senders put in before the loop takes them: bounding that is the owner's business.
package final class Mailbox<Message: Sendable> {
  package let sender: Sender
  private let handle: Handle<uv_async_t>
  private var onMessage: ((Message) -> Void)?

  package init(on loop: EventLoop, onMessage: @escaping (Message) -> Void) throws(UVError) {
    handle = try Handle { uv_async_init(loop.raw, $0) { owner(of: $0, as: AnyMailbox.self).drain() } }
    self.onMessage = onMessage
    sender = Sender(queue: Queue(Waker(raw: handle.raw)))
    handle.attach(AnyMailbox(drain: { [self] in drain() }))
  }

  /// What is sent from now on is dropped.
  package func close() {
    sender.queue.close()
    onMessage = nil
    handle.close()
  }

  private func drain() {
    for message in sender.queue.takeAll() { onMessage?(message) }
  }

  package struct Sender: Sendable {
    let queue: Queue
    package func send(_ message: Message) { queue.append(message) }
  }

  /// Messages waiting for the loop. The lock also guards the handle against a wake-up after close.
  final class Queue: Sendable {
    private struct State {
      var messages: [Message] = []
      var waker: Waker?
    }
    private let state: Mutex<State>

    init(_ waker: Waker) { state = Mutex(State(waker: waker)) }

    func append(_ message: Message) {
      state.withLock {
        guard let waker = $0.waker else { return }
        $0.messages.append(message)
        waker.wake()
      }
    }

    func takeAll() -> [Message] {
      state.withLock { state in
        defer { state.messages = [] }
        return state.messages
      }
    }

    func close() {
      state.withLock {
        $0.waker = nil
        $0.messages = []
      }
    }
  }
}

@available(*, unavailable)
extension Mailbox: Sendable {}

/// A C callback cannot be generic over `Message`, so it reaches its mailbox through this box.
private final class AnyMailbox {
  let drain: () -> Void
  init(drain: @escaping () -> Void) { self.drain = drain }
}

/// `uv_async_send` is the one libuv call that any thread may make; the queue's lock keeps it from a closed handle.
struct Waker: @unchecked Sendable {
  let raw: UnsafeMutablePointer<uv_async_t>
  func wake() { uv_async_send(raw) }
}
