import Glibc

/// Gives each (namespace, key) that is in use a small number, by open addressing with a keyed hash.
///
/// Keys are compared as bytes. Up to 40 of them lie inside the entry; a longer key has its own memory.
/// Invariant: `table` holds each used entry exactly once, between its hash's place and the next gap.
@usableFromInline
package struct KeyTable: ~Copyable {
  struct Entry {
    static let inlineBytes = 40

    var namespace: UInt64 = 0
    /// The lower half of it.
    var hash: UInt32 = 0
    var count: UInt32 = 0
    /// The key's bytes; in the first word, of a long key the address of its memory, of a free entry the next free one.
    var words = InlineArray<5, UInt64>(repeating: 0)

    mutating func free(before next: Int32) {
      count = 0
      words[0] = UInt64(bitPattern: Int64(next))
    }

    var isLong: Bool { count > UInt32(Self.inlineBytes) }
    var long: UnsafeMutablePointer<UInt8>? { UnsafeMutablePointer(bitPattern: UInt(words[0])) }
  }

  /// Most keys share a namespace.
  private var hashes: KeyedHashOfMany
  private var entries = SlotArray(empty: Entry(), count: 0)
  private var firstFree: Int32 = -1
  /// Numbers of entries; at least three quarters of it are free, so that hardly any two are neighbours.
  private var table = ProbeTable(count: 64)
  package private(set) var count = 0

  /// - Parameter seed: random, so that nobody outside can choose keys that collide.
  package init(seed: UInt64) { self.init(KeyedHash(seed: seed)) }

  private init(_ hash: KeyedHash) { hashes = KeyedHashOfMany(hash) }

  deinit {
    for slot in entries.indices { freeLongKey(slot) }
  }

  /// The number of this key, a new one if it has none yet.
  package mutating func intern(namespace: UInt64, _ key: Span<UInt8>) -> Int {
    let hash = hashes.hash(namespace, key)
    let (place, found) = search(hash, namespace, key)
    if let found { return found }
    let slot = newEntry(hash, namespace, key)
    table[place] = Int32(truncatingIfNeeded: slot)
    count &+= 1
    if count &* 4 > table.count { grow() }
    return slot
  }

  /// The number of this key, if it is in use.
  package func find(namespace: UInt64, _ key: Span<UInt8>) -> Int? {
    search(hash(namespace, key), namespace, key).found
  }

  /// Forgets a key; its number may then be given to another.
  package mutating func release(_ slot: Int) {
    removeFromTable(slot)
    freeLongKey(slot)
    entries[slot].free(before: firstFree)
    firstFree = Int32(truncatingIfNeeded: slot)
    count &-= 1
  }

  package func namespace(of slot: Int) -> UInt64 { entries[slot].namespace }

  /// The namespaces of all keys, once for each key.
  package var namespaces: [UInt64] {
    (0..<table.count).compactMap { table[$0] < 0 ? nil : entries[Int(table[$0])].namespace }
  }

  /// Appends the bytes of a key.
  package func copyBytes(of slot: Int, into bytes: inout [UInt8]) {
    withBytes(of: slot) { bytes.append(contentsOf: $0) }
  }

  /// Gives back what it grew to; there must be no key.
  package mutating func giveBackMemory() {
    precondition(count == 0, "a key would be forgotten")
    self = KeyTable(hashes.hash)
  }

  // MARK: Entries

  /// The hash under which a key of a namespace is kept, whether it is in use or not.
  @inline(__always)
  package func hash(_ namespace: UInt64, _ key: Span<UInt8>) -> UInt64 {
    hashes.hash.hash(namespace, key)
  }

  /// Where the key is in the table, or the gap where it would be.
  @inline(__always)
  private func search(_ hash: UInt64, _ namespace: UInt64, _ key: Span<UInt8>) -> (place: Int, found: Int?) {
    var place = Int(truncatingIfNeeded: hash)
    while table[place] >= 0 {
      let slot = Int(table[place])
      if matches(slot, hash, namespace, key) { return (place, slot) }
      place &+= 1
    }
    return (place, nil)
  }

  @inline(__always)
  private func matches(_ slot: Int, _ hash: UInt64, _ namespace: UInt64, _ key: Span<UInt8>) -> Bool {
    let entry = entries.address(of: slot)
    guard entry.pointee.hash == UInt32(truncatingIfNeeded: hash), entry.pointee.namespace == namespace,
      Int(entry.pointee.count) == key.count
    else { return false }
    return key.withUnsafeBytes { key in
      withBytes(of: slot) { key.isEmpty || memcmp($0.baseAddress!, key.baseAddress!, key.count) == 0 }
    }
  }

  private func withBytes<Result>(of slot: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let count = Int(entries[slot].count)
    if entries[slot].isLong { return body(UnsafeRawBufferPointer(start: entries[slot].long, count: count)) }
    return entries[slot].words.span.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  @inline(__always)
  private func freeLongKey(_ slot: Int) {
    if entries[slot].isLong { entries[slot].long?.deallocate() }
  }

  @inline(__always)
  private mutating func newEntry(_ hash: UInt64, _ namespace: UInt64, _ key: Span<UInt8>) -> Int {
    let slot = takeEntry()
    let entry = entries.address(of: slot)
    entry.pointee.hash = UInt32(truncatingIfNeeded: hash)
    entry.pointee.namespace = namespace
    entry.pointee.count = UInt32(key.count)
    key.withUnsafeBytes { key in
      guard let start = key.baseAddress else { return }
      if key.count <= Entry.inlineBytes {
        withUnsafeMutableBytes(of: &entry.pointee.words) {
          $0.baseAddress!.copyShort(from: start, byteCount: key.count)
        }
      } else {
        let long = UnsafeMutablePointer<UInt8>.allocate(capacity: key.count)
        memcpy(long, start, key.count)
        entry.pointee.words[0] = UInt64(UInt(bitPattern: long))
      }
    }
    return slot
  }

  @inline(__always)
  private mutating func takeEntry() -> Int {
    guard firstFree >= 0 else {
      entries.reach(entries.count)
      return entries.count - 1
    }
    let slot = Int(firstFree)
    firstFree = Int32(truncatingIfNeeded: entries[slot].words[0])
    return slot
  }

  // MARK: The table

  private mutating func grow() {
    var old = ProbeTable(count: table.count * 2)
    swap(&old, &table)
    for index in 0..<old.count where old[index] >= 0 {
      var place = Int(entries[Int(old[index])].hash)
      while table[place] >= 0 { place &+= 1 }
      table[place] = old[index]
    }
  }

  /// Closes the gap by moving back every entry that would otherwise no longer be found.
  @inline(__always)
  private mutating func removeFromTable(_ slot: Int) {
    var gap = Int(entries[slot].hash)
    while table[gap] != Int32(truncatingIfNeeded: slot) {
      precondition(table[gap] >= 0, "the key is not in use")
      gap &+= 1
    }
    var place = gap &+ 1
    while table[place] >= 0 {
      let home = Int(entries[Int(table[place])].hash)
      if table.distance(from: home, to: place) >= table.distance(from: gap, to: place) {
        table[gap] = table[place]
        gap = place
      }
      place &+= 1
    }
    table[gap] = -1
  }
}
