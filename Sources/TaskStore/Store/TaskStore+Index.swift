import HotData

extension TaskStore {
  /// The index knows this lane from now on. One that it does not know has a task at most, which was not queued.
  mutating func becomeIndexed(_ key: TaskKey) {
    guard !lanes[key.index].isIndexed else { return }
    lanes[key.index].becomeIndexed()
    index.begin(key)
    let only = lanes[key.index].first
    guard only != 0 else { return }
    if tasks[only].state.isLive {
      index.add(only, tasks[only], in: key)
    } else {
      index.addOver(only, tasks[only], in: key)
    }
  }

  /// Where a walk over the live tasks of a lane is, from one end: the next request, and the next notification.
  struct LiveWalk {
    fileprivate var request: Int32
    fileprivate var notification: Int32

    init(fromOldestOf lists: LaneIndex.Lists) {
      (request, notification) = (lists.requests.first, lists.notifications.first)
    }

    init(fromNewestOf lists: LaneIndex.Lists) {
      (request, notification) = (lists.requests.last, lists.notifications.last)
    }
  }

  /// The next one of a walk from the oldest on.
  func takeOldest(_ walk: inout LiveWalk) -> Int32? {
    let (request, notification) = (walk.request, walk.notification)
    if request != 0, notification == 0 || tasks[request].generation < tasks[notification].generation {
      walk.request = index.nextLive(after: request)
      return request
    }
    guard notification != 0 else { return nil }
    walk.notification = index.nextLive(after: notification)
    return notification
  }

  /// The next one of a walk from the newest on.
  func takeNewest(_ walk: inout LiveWalk) -> Int32? {
    let (request, notification) = (walk.request, walk.notification)
    if request != 0, notification == 0 || tasks[request].generation > tasks[notification].generation {
      walk.request = index.previousLive(before: request)
      return request
    }
    guard notification != 0 else { return nil }
    walk.notification = index.previousLive(before: notification)
    return notification
  }
}
