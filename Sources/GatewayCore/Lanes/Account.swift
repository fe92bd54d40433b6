/// What one connection has at the bounds: its admitted tasks, until they end, even after the connection is gone.
struct Account {
  /// The slot of its connection; -1: that is gone.
  @Compact var client: Int
  /// Tasks that have not ended: queued, running, draining and orphaned.
  @Compact var tasks = 0
  /// The number of the principal that all this counts for, too; 0: nobody in particular.
  @Compact var principal = 0
  /// What these ask, as far as it is kept.
  var requestBytes = 0
  /// Notifications that upstream has not been sent, oldest first.
  var unsentNotifications = SlotRing()
  /// Tasks whose client asked for a longer drain than is usual; they have it while the client is there.
  var longDrains = SlotRing()

  init(client: Int) { self.client = client }

  /// Nothing is left to charge anybody for.
  var isOver: Bool { client < 0 && tasks == 0 }

  /// A task has ended; returns whether that was the last there is to charge anybody for.
  @inline(__always)
  mutating func discharge() -> Bool {
    tasks &-= 1
    return isOver
  }
}
