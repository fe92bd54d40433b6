import HotData
import TaskStore
import Testing

/// How tasks are named, however many there are.
@Suite struct TaskIDTests {
  private static let endOfShortIDs: UInt64 = 1 << 31
  private static let endOfIDs: UInt64 = 1 << 38
  /// As many tasks as have short ids at once.
  private static let shortSlots = 131_071

  private static func fill(_ store: inout TaskStore, _ count: Int, _ effects: inout TaskEffects) -> [TaskID] {
    var tasks: [TaskID] = []
    for _ in 0..<count { if let task = submit(&store, &effects) { tasks.append(task) } }
    return tasks
  }

  private static func submit(_ store: inout TaskStore, _ effects: inout TaskEffects) -> TaskID? {
    var request = Admission(key: nil)
    request.isNotification = true
    defer { effects.removeAll() }
    guard case .admitted(let task, _) = store.submit(request, effects: &effects) else { return nil }
    return task
  }

  private static func store(largest tasks: Int) -> TaskStore {
    var limits = StoreLimits()
    limits.tasks = tasks
    return TaskStore(limits: limits)
  }

  @Test func `an id names its slot and is unlike every other, at every border`() {
    var seen: Set<TaskID> = []
    let slots: [Int32] = [1, 2, 131_070, 131_071, 131_072, 131_073, 262_143, 262_144, 2_001_025, 1 << 24 - 1]
    for slot in slots {
      for reuse in [0, 1, 8_191, 8_192, 16_382, 16_383] as [UInt16] {
        let task = TaskID(index: slot, reuse: reuse)
        #expect(task.slot == Int(slot))
        #expect(seen.insert(task).inserted)
        #expect((task.rawValue < Self.endOfShortIDs) == (slot <= 131_071))
        #expect(TaskID(exactly: task.rawValue) == task)
      }
    }
    #expect(TaskID(index: 1 << 24 - 1, reuse: 16_383).rawValue == Self.endOfIDs - 1)
  }

  @Test(arguments: [endOfIDs, endOfIDs + 1, 1 << 63, .max])
  func `a number beyond all ids is none`(number: UInt64) {
    #expect(TaskID(exactly: number) == nil)
  }

  @Test func `stores of several loops do not soon call a task alike`() throws {
    var seen: Set<TaskID> = []
    for number in 0..<16 {
      var store = TaskStore(number: number, of: 16)
      var effects = TaskEffects()
      for _ in 0..<5_000 {
        let task = try #require(Self.submit(&store, &effects))
        #expect(seen.insert(task).inserted)
        store.finished(task, effects: &effects)
        effects.removeAll()
      }
    }
  }

  @Test func `a slot is used again only after many others, and then under another id`() throws {
    var store = TaskStore()
    var effects = TaskEffects()
    var seen: Set<TaskID> = []
    for _ in 0..<5_000 {
      let task = try #require(Self.submit(&store, &effects))
      #expect(seen.insert(task).inserted)
      #expect(task.rawValue > 0 && task.rawValue < Self.endOfShortIDs)
      store.finished(task, effects: &effects)
      let isKnown = store.knows(task)
      #expect(!isKnown)
    }
  }

  @Test func `at the largest bound of short ids a full store still supersedes under one`() {
    var store = Self.store(largest: 131_070)
    var effects = TaskEffects()
    _ = Self.fill(&store, 131_069, &effects)
    var request = Admission(key: TaskKey(slot: 0))
    request.endsOnCancel = true
    for _ in 0..<3 {
      guard case .admitted(let task, _) = store.submit(request, effects: &effects) else {
        Issue.record("refused")
        return
      }
      let (count, isKnown) = (store.taskCount, store.knows(task))
      #expect(count == 131_070 && isKnown && task.rawValue < Self.endOfShortIDs)
      effects.removeAll()
    }
  }

  @Test func `what comes and goes beside nearly as many tasks as have short ids gets short ones, too`() {
    var store = Self.store(largest: 140_000)
    var effects = TaskEffects()
    _ = Self.fill(&store, Self.shortSlots - 3, &effects)
    var seen: Set<TaskID> = []
    for _ in 0..<2_000 {
      let tasks = Self.fill(&store, 3, &effects)
      for task in tasks {
        #expect(seen.insert(task).inserted)
        store.finished(task, effects: &effects)
      }
      #expect(tasks.allSatisfy { $0.rawValue < Self.endOfShortIDs })
    }
  }

  @Test func `the uses of a slot are told apart until there were 16,384 of them`() throws {
    var store = Self.store(largest: 140_000)
    var effects = TaskEffects()
    let first = try #require(Self.fill(&store, Self.shortSlots, &effects).last)
    #expect(first.slot == Self.shortSlots)
    var (seen, task): (Set<TaskID>, TaskID) = ([first], first)
    for _ in 1..<16_384 {
      store.finished(task, effects: &effects)
      task = try #require(Self.submit(&store, &effects))
      seen.insert(task)
    }
    #expect(seen.count == 16_384 && task.rawValue == Self.endOfShortIDs - 1)
    store.finished(task, effects: &effects)
    let again = Self.submit(&store, &effects)
    #expect(again == first)
  }

  @Test func `a million tasks at once are told apart`() {
    var store = Self.store(largest: 1_000_001)
    var effects = TaskEffects()
    let tasks = Self.fill(&store, 1_000_002, &effects)
    #expect(tasks.count == 1_000_001)
    #expect(tasks[Self.shortSlots - 1].rawValue == 131_071)
    #expect(tasks[Self.shortSlots].rawValue == Self.endOfShortIDs)
    #expect(tasks[Self.shortSlots + 1].rawValue == Self.endOfShortIDs + 1)
    #expect(tasks[1_000_000].slot == 1_000_001)
    var known = 0
    for task in tasks where store.knows(task) { known += 1 }
    #expect(known == 1_000_001)
  }

  @Test func `an id just beside a known one is unknown`() {
    var store = Self.store(largest: 140_000)
    var effects = TaskEffects()
    let tasks = Self.fill(&store, Self.shortSlots + 2, &effects)
    let all = Set(tasks)
    for task in [tasks[0], tasks[Self.shortSlots - 1], tasks[Self.shortSlots], tasks[Self.shortSlots + 1]] {
      for bit in 17..<64 as Range<UInt64> {
        let other = TaskID(rawValue: task.rawValue ^ (1 << bit))
        let isKnown = store.knows(other)
        // The slots that differ in just this bit are in use, too.
        #expect(isKnown == all.contains(other))
      }
    }
    let last = tasks[Self.shortSlots + 1]
    store.finished(last, effects: &effects)
    let isKnown = (store.knows(last), store.knows(TaskID(rawValue: last.rawValue + 1)))
    #expect(isKnown == (false, false))
  }
}
