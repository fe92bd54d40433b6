import Glibc
import Synchronization

/// The only way into a loop from another thread: values are sent on any thread, and arrive on the loop in order.
///
/// It has no bound of its own: senders bound how many values can be on their way.
package final class Mailbox<Message: Sendable> {
  package let sender: Sender
  private let wakeup: Wakeup
  private var onMessage: ((Message) -> Void)?
  /// The values that have arrived; emptied and swapped with the queue's array, so that both keep their capacity.
  private var arrived: [Message] = []

  package init(on loop: EventLoop, onMessage: @escaping (Message) -> Void) throws(UVError) {
    wakeup = try Wakeup(on: loop)
    sender = Sender(queue: Queue(wakeup.waker))
    self.onMessage = onMessage
    wakeup.onWake = { self.deliver() }
  }

  /// Closes it: values that have not arrived are dropped, and so are later ones.
  package func close() {
    sender.queue.close()
    onMessage = nil
    wakeup.close()
  }

  /// Lets the loop end in spite of the mailbox; while the loop runs, values still arrive.
  package func letLoopEnd() { wakeup.letLoopEnd() }

  private func deliver() {
    sender.queue.takeAll(&arrived)
    for message in arrived { onMessage?(message) }
    arrived.removeAll(keepingCapacity: true)
  }

  /// The end for other threads.
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
    /// How many senders are about to wake the loop: its handle is not closed before they have.
    private let waking = Atomic<Int>(0)

    init(_ waker: Wakeup.Waker) { self.waker = Mutex(waker) }

    /// Wakes the loop after the lock is released: the loop may run at once, and would have to wait for the lock.
    func append(_ message: Message) {
      let first = waker.withLock { waker -> Wakeup.Waker? in
        guard let waker else { return nil }
        messages.append(message)
        // The loop takes all messages together, so it is woken only for the first.
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
