import Glibc
import Synchronization

/// The one way into a loop from another thread: values go in anywhere, come out on the loop, in order.
///
/// It has no bound of its own; whoever sends bounds what can be under way.
package final class Mailbox<Message: Sendable> {
  package let sender: Sender
  private let wakeup: Wakeup
  private var onMessage: ((Message) -> Void)?
  /// Emptied and swapped with the queue's, so that both keep their capacity.
  private var arrived: [Message] = []

  package init(on loop: EventLoop, onMessage: @escaping (Message) -> Void) throws(UVError) {
    wakeup = try Wakeup(on: loop)
    sender = Sender(queue: Queue(wakeup.waker))
    self.onMessage = onMessage
    wakeup.onWake = { self.deliver() }
  }

  /// Values that have not come out yet are dropped, and so are later ones.
  package func close() {
    sender.queue.close()
    onMessage = nil
    wakeup.close()
  }

  /// The loop need not go on for what may still come; it is delivered as long as it does.
  package func letLoopEnd() { wakeup.letLoopEnd() }

  private func deliver() {
    sender.queue.takeAll(&arrived)
    for message in arrived { onMessage?(message) }
    arrived.removeAll(keepingCapacity: true)
  }

  /// What other threads hold.
  package struct Sender: Sendable {
    let queue: Queue

    package func send(_ message: Message) { queue.append(message) }
  }

  /// Values on their way to the loop. The lock is not around the values themselves: a lock of a generic value has its
  /// layout computed each time.
  final class Queue: @unchecked Sendable {
    private let waker: Mutex<Wakeup.Waker?>
    /// Touched only while `waker` is locked.
    private var messages: [Message] = []
    /// Who is about to wake the loop: until they have, its handle is not closed.
    private let waking = Atomic<Int>(0)

    init(_ waker: Wakeup.Waker) { self.waker = Mutex(waker) }

    /// The loop is woken behind the lock: it may run at once, and would have to wait for it.
    func append(_ message: Message) {
      let first = waker.withLock { waker -> Wakeup.Waker? in
        guard let waker else { return nil }
        messages.append(message)
        // The loop takes all there is, so one call is enough until it has.
        guard messages.count == 1 else { return nil }
        waking.wrappingAdd(1, ordering: .relaxed)
        return waker
      }
      guard let first else { return }
      first.wake()
      waking.wrappingSubtract(1, ordering: .releasing)
    }

    func takeAll(_ taken: inout [Message]) {
      waker.withLock { _ in swap(&messages, &taken) }
    }

    func close() {
      waker.withLock {
        $0 = nil
        messages = []
      }
      while waking.load(ordering: .acquiring) > 0 { sched_yield() }
    }
  }
}

@available(*, unavailable)
extension Mailbox: Sendable {}
