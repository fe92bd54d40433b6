/// Gives each (namespace, key) that is in use a small number, by open addressing with a seeded hash.
///
/// Keys are compared as bytes. Up to 40 of them lie inside the entry; a longer key has its own memory.
/// Invariant: `table` holds each used entry exactly once, between its hash's place and the next gap.
package struct KeyTable: ~Copyable {
  private struct Entry {
    static let inlineBytes = 40

    var hash: UInt64 = 0
    var namespace: UInt64 = 0
    var count: UInt32 = 0
    var nextFree: Int32 = -1
    var long: UnsafeMutablePointer<UInt8>?
    var inline = InlineArray<40, UInt8>(repeating: 0)
  }

  private let seed: UInt64
  private var entries: [Entry] = []
  private var firstFree: Int32 = -1
  /// Numbers of entries, or -1; its size is a power of two, and at least half of it is free.
  private var table: [Int32] = Array(repeating: -1, count: 64)
  package private(set) var count = 0

  /// - Parameter seed: random, so that nobody outside can choose keys that collide.
  package init(seed: UInt64) { self.seed = seed }

  deinit {
    for entry in entries { entry.long?.deallocate() }
  }

  /// The number of this key, a new one if it has none yet.
  package mutating func intern(namespace: UInt64, _ key: Span<UInt8>) -> Int {
    let hash = hash(namespace, key)
    let (place, found) = search(hash, namespace, key)
    if let found { return found }
    let slot = newEntry(hash, namespace, key)
    table[place] = Int32(slot)
    count += 1
    if count * 2 > table.count { grow() }
    return slot
  }

  /// The number of this key, if it is in use.
  package func find(namespace: UInt64, _ key: Span<UInt8>) -> Int? {
    search(hash(namespace, key), namespace, key).found
  }

  /// Forgets a key; its number may then be given to another.
  package mutating func release(_ slot: Int) {
    removeFromTable(slot)
    entries[slot].long?.deallocate()
    entries[slot].long = nil
    entries[slot].nextFree = firstFree
    firstFree = Int32(slot)
    count -= 1
  }

  /// Appends the bytes of a key.
  package func copyBytes(of slot: Int, into bytes: inout [UInt8]) {
    let count = Int(entries[slot].count)
    if let long = entries[slot].long {
      bytes.append(contentsOf: UnsafeBufferPointer(start: long, count: count))
    } else {
      for index in 0..<count { bytes.append(entries[slot].inline[index]) }
    }
  }

  // MARK: Entries

  /// The hash under which a key of a namespace is kept, whether it is in use or not.
  package func hash(_ namespace: UInt64, _ key: Span<UInt8>) -> UInt64 {
    Self.hash(key, seed: seed ^ namespace &* 0x9e37_79b9_7f4a_7c15)
  }

  /// Where the key is in the table, or the gap where it would be.
  private func search(_ hash: UInt64, _ namespace: UInt64, _ key: Span<UInt8>) -> (place: Int, found: Int?) {
    var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
    while table[place] >= 0 {
      let slot = Int(table[place])
      if matches(slot, hash, namespace, key) { return (place, slot) }
      place = (place + 1) & (table.count - 1)
    }
    return (place, nil)
  }

  private func matches(_ slot: Int, _ hash: UInt64, _ namespace: UInt64, _ key: Span<UInt8>) -> Bool {
    guard entries[slot].hash == hash, entries[slot].namespace == namespace,
      Int(entries[slot].count) == key.count
    else { return false }
    return key.withUnsafeBufferPointer { key in
      if let long = entries[slot].long {
        return key.elementsEqual(UnsafeBufferPointer(start: long, count: key.count))
      }
      for index in 0..<key.count where entries[slot].inline[index] != key[index] { return false }
      return true
    }
  }

  private mutating func newEntry(_ hash: UInt64, _ namespace: UInt64, _ key: Span<UInt8>) -> Int {
    var entry = Entry()
    entry.hash = hash
    entry.namespace = namespace
    entry.count = UInt32(key.count)
    key.withUnsafeBufferPointer { key in
      if key.count <= Entry.inlineBytes {
        for index in 0..<key.count { entry.inline[index] = key[index] }
      } else {
        let long = UnsafeMutablePointer<UInt8>.allocate(capacity: key.count)
        long.initialize(from: key.baseAddress!, count: key.count)
        entry.long = long
      }
    }
    guard firstFree >= 0 else {
      entries.append(entry)
      return entries.count - 1
    }
    let slot = Int(firstFree)
    firstFree = entries[slot].nextFree
    entries[slot] = entry
    return slot
  }

  // MARK: The table

  private mutating func grow() {
    let old = table
    table = Array(repeating: -1, count: old.count * 2)
    for slot in old where slot >= 0 {
      var place = Int(truncatingIfNeeded: entries[Int(slot)].hash) & (table.count - 1)
      while table[place] >= 0 { place = (place + 1) & (table.count - 1) }
      table[place] = slot
    }
  }

  /// Closes the gap by moving back every entry that would otherwise no longer be found.
  private mutating func removeFromTable(_ slot: Int) {
    let mask = table.count - 1
    var gap = Int(truncatingIfNeeded: entries[slot].hash) & mask
    while table[gap] != Int32(slot) { gap = (gap + 1) & mask }
    var place = gap
    while true {
      place = (place + 1) & mask
      guard table[place] >= 0 else { break }
      let home = Int(truncatingIfNeeded: entries[Int(table[place])].hash) & mask
      if (place - home) & mask >= (place - gap) & mask {
        table[gap] = table[place]
        gap = place
      }
    }
    table[gap] = -1
  }

  // MARK: Hashing

  /// Folds 16 bytes a round by 64 × 64 → 128-bit multiplication, keyed by the seed.
  static func hash(_ key: Span<UInt8>, seed: UInt64) -> UInt64 {
    key.withUnsafeBytes { key in
      var state = seed ^ 0xa076_1d64_78bd_642f
      var rest = key
      while rest.count > 16 {
        let a = rest.loadUnaligned(as: UInt64.self)
        let b = rest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        state = fold(a ^ 0xe703_7ed1_a0b4_28db, b ^ state)
        rest = UnsafeRawBufferPointer(rebasing: rest[16...])
      }
      var tail: (UInt64, UInt64) = (0, 0)
      withUnsafeMutableBytes(of: &tail) { $0.copyMemory(from: rest) }
      let mixed = fold(tail.0 ^ 0x8ebc_6af0_9c88_c6e3, tail.1 ^ state)
      return fold(mixed, UInt64(key.count) ^ 0xe703_7ed1_a0b4_28db)
    }
  }

  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
