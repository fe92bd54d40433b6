/// A queue: first in, first out.
struct WaitingLine<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var first: Element? { head < elements.count ? elements[head] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    if 2 * head > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Empties it, and gives all of it in order.
  mutating func removeAll() -> ArraySlice<Element> {
    defer { self = WaitingLine() }
    return elements[head...]
  }
}

extension WaitingLine: Sendable where Element: Sendable {}
