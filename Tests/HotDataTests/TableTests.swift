import HotData
import Testing

/// Tests speak of text; a `Span` cannot be an argument inside `#expect`.
extension KeyTable {
  fileprivate mutating func intern(_ key: String, in namespace: UInt64 = 0) -> Int {
    intern(namespace: namespace, Array(key.utf8).span)
  }

  fileprivate func bytes(of slot: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    copyBytes(of: slot, into: &bytes)
    return bytes
  }
}

extension PayloadTable {
  fileprivate func has(_ first: Range<Int>, _ second: Range<Int>, of text: String, at slot: Int) -> Bool {
    matches(first, second, of: Array(text.utf8).span, at: slot, dividedAt: 2)
  }
}

@Suite struct KeyTableTests {
  @Test func `the same bytes in the same namespace have the same number`() {
    var table = KeyTable(seed: 1)
    for key in [
      "", "a", "search:tab-7f3a", String(repeating: "k", count: 40), String(repeating: "k", count: 512),
    ] {
      let slot = table.intern(key, in: 1)
      #expect(table.intern(key, in: 1) == slot)
      #expect(table.intern(key, in: 2) != slot)
      #expect(table.bytes(of: slot) == Array(key.utf8))
    }
    #expect(table.count == 10)
  }

  @Test func `the namespaces of all keys are known until the keys are released`() {
    var table = KeyTable(seed: 1)
    // More than it has room for at first.
    let slots = (0..<100).map { table.intern("key \($0)", in: UInt64($0 % 10)) }
    #expect(Set(table.namespaces) == Set(0..<10) && table.namespaces.count == 100)
    for slot in slots where table.namespace(of: slot) != 7 { table.release(slot) }
    #expect(table.namespaces == [UInt64](repeating: 7, count: 10))
  }

  @Test func `keys that look alike to people are not alike`() {
    var table = KeyTable(seed: 1)
    let composed = table.intern("\u{e9}")
    #expect(table.intern("e\u{301}") != composed)
  }

  @Test(arguments: [0, 1, 0xdead_beef] as [UInt64])
  func `it agrees with a dictionary through any sequence of coming and going`(seed: UInt64) {
    var table = KeyTable(seed: seed)
    var model: [String: Int] = [:]
    var state = seed
    for _ in 0..<50_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = "key-\(state >> 54)" + String(repeating: "x", count: Int(state >> 60) * 6)
      if let slot = model[key], state & 1 == 0 {
        table.release(slot)
        model[key] = nil
      } else {
        let slot = table.intern(key)
        #expect(model[key] == nil || model[key] == slot)
        model[key] = slot
      }
    }
    #expect(table.count == model.count)
    #expect(Set(model.values).count == model.count)
    for (key, slot) in model { #expect(table.bytes(of: slot) == Array(key.utf8)) }
  }
}

@Suite struct PayloadTableTests {
  @Test func `a payload matches what it was stored as, divided at the same place`() {
    var table = PayloadTable()
    table.store(0..<2, 2..<6, of: Array("abcdef".utf8).span, at: 3)
    let same = table.has(0..<2, 2..<6, of: "abcdef", at: 3)
    let others = [
      table.has(0..<3, 3..<6, of: "abcdef", at: 3), table.has(0..<2, 2..<5, of: "abcdef", at: 3),
      table.has(0..<2, 2..<6, of: "abcdeF", at: 3), table.has(0..<2, 2..<6, of: "abcdef", at: 9),
    ]
    #expect(same && !others.contains(true))
    table.forget(3)
    let forgotten = table.has(0..<2, 2..<6, of: "abcdef", at: 3)
    #expect(!forgotten && table.byteCount == 0)
  }

  @Test func `what stands between two pieces goes along, and counts for nothing`() {
    var table = PayloadTable(divider: "--")
    let text = Array("abcdef".utf8)
    table.store(0..<2, 2..<6, of: text.span, at: 1)
    table.store(0..<2, 0..<0, of: text.span, at: 2)
    var sent: [[UInt8]] = []
    for slot in 0...2 { table.withBytes(of: slot) { bytes in sent.append(bytes.indices.map { bytes[$0] }) } }
    #expect(sent == ["", "ab--cdef", "ab"].map { Array($0.utf8) })
    #expect(table.byteCount == 8 && table.count(of: 1) == 6)
    var pieces: [UInt8] = []
    for slot in 0...2 {
      table.copySecond(of: slot, dividedAt: 2, into: &pieces)
      if slot > 0 { table.copyFirst(of: slot, dividedAt: 2, into: &pieces) }
    }
    #expect(pieces == Array("cdefabab".utf8))
    let isSame = table.has(0..<2, 2..<6, of: "abcdef", at: 1)
    let isShorter = table.has(0..<2, 0..<0, of: "abcdef", at: 1)
    #expect(isSame && !isShorter)
    table.forget(1)
    table.forget(2)
    #expect(table.byteCount == 0)
  }

  @Test func `bytes are counted through reuse and growth`() {
    var table = PayloadTable()
    let bytes = [UInt8](repeating: 1, count: 100_000)
    for size in [0, 10, 255, 256, 257, 5_000, 100_000, 3] {
      table.store(0..<size, 0..<0, of: bytes.span, at: 0)
      #expect(table.byteCount == size && table.count(of: 0) == size)
    }
  }
}

@Suite struct SlabTests {
  private final class Witness {}

  @Test func `elements keep their numbers, and a number is given again`() {
    var slab = Slab<String>()
    let numbers = (0..<100).map { slab.insert("element \($0)") }
    #expect(numbers == Array(0..<100) && slab.count == 100)
    #expect(slab.remove(42) == "element 42")
    #expect(!slab.contains(42) && slab.contains(41) && !slab.contains(-1) && !slab.contains(100))
    slab[41] += "!"
    #expect(slab[41] == "element 41!")
    #expect(slab.insert("again") == 42)
  }

  @Test func `what is removed, and what is left at the end, is released`() {
    weak var removed: Witness?
    weak var left: Witness?
    do {
      var slab = Slab<Witness>()
      do {
        let (one, other) = (Witness(), Witness())
        (removed, left) = (one, other)
        _ = (slab.insert(one), slab.insert(other))
      }
      slab.remove(0)
      #expect(removed == nil && left != nil)
    }
    #expect(left == nil)
  }
}
