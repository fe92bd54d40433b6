/// Elements of any kind, copyable or not, that are named by a small number; freed numbers are reused.
///
/// Invariant: an element is initialised exactly when its place is told, and none is moved but by growing.
@usableFromInline package struct Slab<Element: ~Copyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  private var capacity: Int
  /// Where each element is, so that one load says whether and where; nil: the number is free.
  @usableFromInline var places = SlotArray<UnsafeMutablePointer<Element>?>(empty: nil, count: 0)
  private var free: [Int] = []
  package private(set) var count = 0

  package init() {
    capacity = 8
    base = TableMemory.allocate(capacity, of: Element.self)
  }

  deinit {
    for slot in places.indices { places[slot]?.deinitialize(count: 1) }
    TableMemory.free(base, capacity)
  }

  /// One more than the highest number ever given.
  @inlinable package var endSlot: Int { places.count }

  @inlinable @inline(__always)
  package func contains(_ slot: Int) -> Bool {
    UInt(bitPattern: slot) < UInt(bitPattern: places.count) && places[slot] != nil
  }

  package mutating func insert(_ element: consuming Element) -> Int {
    let slot = free.popLast() ?? places.count
    if slot == places.count {
      if slot == capacity { grow() }
      places.reach(slot)
    }
    (base + slot).initialize(to: element)
    places[slot] = base + slot
    count += 1
    return slot
  }

  @discardableResult
  package mutating func remove(_ slot: Int) -> Element {
    let place = place(of: slot)
    places[slot] = nil
    free.append(slot)
    count -= 1
    return place.move()
  }

  /// All numbers are in use then.
  private mutating func grow() {
    TableMemory.grow(&base, &capacity, to: capacity * 2, count: capacity)
    for slot in places.indices { places[slot] = base + slot }
  }

  @inlinable
  package subscript(slot: Int) -> Element {
    @inline(__always)
    unsafeAddress { UnsafePointer(place(of: slot)) }
    @inline(__always)
    unsafeMutableAddress { place(of: slot) }
  }

  @inlinable @inline(__always)
  func place(of slot: Int) -> UnsafeMutablePointer<Element> {
    guard let place = places[slot] else { preconditionFailure("no such element") }
    return place
  }
}
