/// The trigrams of one file, each once.
struct TrigramSet {
  private var isMember = [Bool](repeating: false, count: 1 << 18)
  private var members: [UInt32] = []

  mutating func insert(_ text: Range<Int>, of bytes: [UInt8]) {
    Trigram.forEach(in: text, of: bytes) { trigram in
      guard !isMember[Int(trigram)] else { return }
      isMember[Int(trigram)] = true
      members.append(trigram)
    }
  }

  mutating func empty(into collected: inout [UInt32]) {
    for trigram in members { isMember[Int(trigram)] = false }
    collected.append(contentsOf: members)
    members.removeAll(keepingCapacity: true)
  }
}
