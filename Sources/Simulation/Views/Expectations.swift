/// Texts that must come, in this order and whole, or, where only their beginning is known, beginning so.
struct Expectations {
  private struct Text {
    var bytes: [UInt8]
    var isWhole: Bool
    /// It must come.
    var isSure: Bool
    var event: Int
    var number: Int

    func isIn(_ bytes: ArraySlice<UInt8>) -> Bool {
      isWhole ? bytes.elementsEqual(self.bytes) : bytes.starts(with: self.bytes)
    }
  }

  private var texts: [Text] = []
  private var next = 0

  /// Whether nothing is left that must come.
  var isEmpty: Bool { firstSure == nil }
  /// Of the first that must come: when it was promised, in events.
  var firstEvent: Int? { firstSure?.event }
  var first: [UInt8] { firstSure?.bytes ?? [] }
  /// Names what was taken last.
  private(set) var lastNumber = 0

  private var firstSure: Text? { texts[next...].first(where: \.isSure) }

  mutating func add(
    _ bytes: [UInt8], isWhole: Bool = true, isSure: Bool = true, number: Int = 0, at event: Int
  ) {
    texts.append(Text(bytes: bytes, isWhole: isWhole, isSure: isSure, event: event, number: number))
  }

  /// Returns when this was promised; nil if it is not what must come next.
  /// - Parameter mayLack: what goes before it may never come.
  mutating func take(_ bytes: ArraySlice<UInt8>, mayLack: Bool = false) -> Int? {
    var place = next
    while place < texts.count, mayLack || !texts[place].isSure, !texts[place].isIn(bytes) { place += 1 }
    guard place < texts.count, texts[place].isIn(bytes) else { return nil }
    let text = texts[place]
    next = place + 1
    lastNumber = text.number
    if next == texts.count { removeAll() }
    return text.event
  }

  mutating func removeAll() {
    texts.removeAll(keepingCapacity: true)
    next = 0
  }
}
