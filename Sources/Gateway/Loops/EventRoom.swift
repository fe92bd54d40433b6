import Synchronization

/// How many events a watcher takes at the moment: told by one thread, asked by others.
final class EventRoom: Sendable {
  private let events = Atomic<Int>(0)

  var count: Int { events.load(ordering: .relaxed) }
  func set(_ count: Int) { events.store(count, ordering: .relaxed) }
}
