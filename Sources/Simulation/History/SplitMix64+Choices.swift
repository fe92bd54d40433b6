package import HotData

extension SplitMix64 {
  /// A number from 0 on, below `bound`.
  package mutating func below(_ bound: Int) -> Int { Int(next() as UInt64 % UInt64(bound)) }
  package mutating func oneIn(_ chances: Int) -> Bool { below(chances) == 0 }
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
