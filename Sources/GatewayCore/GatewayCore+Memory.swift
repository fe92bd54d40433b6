import HotData
import TaskStore

/// When the memory that many tasks at once took is given back.
struct MemoryPlan {
  /// So many tasks in the meantime are no reason to keep it.
  static let fewTasks: UInt64 = 100

  /// The largest number: there is not much to give back.
  var dueMilliseconds = UInt64.max
  /// What the next task's generation was when that was said.
  var nextGeneration: UInt64 = 0
}

extension GatewayCore {
  /// Gives back what the tables grew to, once there has been little to do for a while: else they would shrink and grow
  /// anew all the time for whoever sends many requests at once.
  @inline(__always)
  mutating func giveBackMemory<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    if memoryPlan.dueMilliseconds == .max {
      if store.slotCount > configuration.keptSlots && store.isEmpty { planMemory() }
    } else if memoryPlan.dueMilliseconds <= nowMilliseconds {
      carryOutMemoryPlan(with: &sink)
    }
  }

  private mutating func planMemory() {
    memoryPlan.dueMilliseconds = nowMilliseconds + configuration.memoryMilliseconds
    memoryPlan.nextGeneration = store.nextGeneration
  }

  @inline(never)
  private mutating func carryOutMemoryPlan<Sink: GatewaySink & ~Copyable>(with sink: inout Sink) {
    memoryPlan.dueMilliseconds = .max
    let tasks = store.nextGeneration - memoryPlan.nextGeneration
    guard store.isEmpty, tasks <= MemoryPlan.fewTasks else { return }
    store.giveBackMemory()
    keys.giveBackMemory()
    payloads.giveBackMemory()
    traces.giveBackMemory()
    calls = SlotArray(empty: Call())
    callLinks = SlotLinks()
    arrivalLinks = SlotLinks()
    callers.giveBackMemory()
    sink.giveBackMemory()
  }
}
