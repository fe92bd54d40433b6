/// Hands out an input's bytes as choices, zeros once they are used up.
struct Choices {
  private let input: [UInt8]
  private var position = 0

  init(_ input: [UInt8]) { self.input = input }

  var isEmpty: Bool { position >= input.count }

  mutating func byte() -> UInt8 {
    guard position < input.count else { return 0 }
    defer { position += 1 }
    return input[position]
  }

  /// A number below `bound`.
  mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

  /// As many of the next bytes as the first of them says.
  mutating func bytes() -> [UInt8] {
    let count = Int(byte())
    let end = min(position + count, input.count)
    defer { position = max(position, end) }
    return position < end ? Array(input[position..<end]) : []
  }
}
