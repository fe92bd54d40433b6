/// Elements of any kind, copyable or not, that are named by a small number; freed numbers are reused.
///
/// Invariant: an element is initialised exactly when `isUsed` says so, and none is moved but by growing.
@usableFromInline package struct Slab<Element: ~Copyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  @usableFromInline var isUsed = SlotArray(empty: false, count: 0)
  private var free: [Int] = []
  package private(set) var count = 0

  package init() {
    capacity = 8
    base = TableMemory.allocate(capacity, of: Element.self)
  }

  deinit {
    for slot in isUsed.indices where isUsed[slot] { (base + slot).deinitialize(count: 1) }
    TableMemory.free(base, capacity)
  }

  /// One more than the highest number ever given.
  @inlinable package var endSlot: Int { isUsed.count }

  @inlinable @inline(__always)
  package func contains(_ slot: Int) -> Bool {
    UInt(bitPattern: slot) < UInt(bitPattern: isUsed.count) && isUsed[slot]
  }

  package mutating func insert(_ element: consuming Element) -> Int {
    let slot = free.popLast() ?? isUsed.count
    if slot == isUsed.count {
      if slot == capacity { TableMemory.grow(&base, &capacity, to: capacity * 2, count: capacity) }
      isUsed.reach(slot)
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

  @inlinable
  package subscript(slot: Int) -> Element {
    @inline(__always)
    unsafeAddress {
      precondition(contains(slot), "no such element")
      return UnsafePointer(base + slot)
    }
    @inline(__always)
    unsafeMutableAddress {
      precondition(contains(slot), "no such element")
      return base + slot
    }
  }
}
