/// Elements of any kind, copyable or not, that are named by a small number; freed numbers are reused.
///
/// Invariant: an element is initialised exactly when `isUsed` says so, and none is moved but by growing.
package struct Slab<Element: ~Copyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  private var isUsed: [Bool] = []
  private var free: [Int] = []
  package private(set) var count = 0

  package init() {
    capacity = 8
    base = .allocate(capacity: capacity)
  }

  deinit {
    for slot in isUsed.indices where isUsed[slot] { (base + slot).deinitialize(count: 1) }
    base.deallocate()
  }

  /// One more than the highest number ever given.
  package var endSlot: Int { isUsed.count }

  package func contains(_ slot: Int) -> Bool { slot >= 0 && slot < isUsed.count && isUsed[slot] }

  package mutating func insert(_ element: consuming Element) -> Int {
    let slot = free.popLast() ?? isUsed.count
    if slot == isUsed.count {
      if slot == capacity { grow() }
      isUsed.append(false)
    }
    (base + slot).initialize(to: element)
    isUsed[slot] = true
    count += 1
    return slot
  }

  @discardableResult
  package mutating func remove(_ slot: Int) -> Element {
    precondition(contains(slot), "no such element")
    isUsed[slot] = false
    free.append(slot)
    count -= 1
    return (base + slot).move()
  }

  package subscript(slot: Int) -> Element {
    _read {
      precondition(contains(slot), "no such element")
      yield base[slot]
    }
    _modify {
      precondition(contains(slot), "no such element")
      yield &base[slot]
    }
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: capacity)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
