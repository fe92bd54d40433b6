/// A client for whom something is held, so that it may have to make room for others.
package struct Holder {
  package let client: Int
  /// 0: nobody in particular.
  package let principal: Int
  package let byteCount: Int
  /// Of that, what the shell holds.
  package let shellBytes: Int
  /// How many connections there were before it; 0: it does not matter.
  package let number: UInt64
  /// Bytes held for its principal, without those of the principal's larger connections. An anonymous connection stands
  /// alone.
  package private(set) var partyBytes = 0

  package init(
    client: Int = -1, principal: Int = 0, byteCount: Int = 0, shellBytes: Int = 0, number: UInt64 = 0
  ) {
    self.client = client
    self.principal = principal
    self.byteCount = byteCount
    self.shellBytes = shellBytes
    self.number = number
  }

  /// The order in which they make room: each time the largest connection of the principal that still holds most. Among
  /// equals, such as idle TLS sessions, the newest goes first: a crowd of newcomers must not push out older clients.
  package static func inOrder(_ holders: [Holder]) -> [Holder] {
    var holders = holders.sorted {
      ($0.byteCount, $0.number, $1.client) < ($1.byteCount, $1.number, $0.client)
    }
    var sums: [Int: Int] = [:]
    for place in holders.indices {
      let holder = holders[place]
      let others = holder.principal > 0 ? sums[holder.principal, default: 0] : 0
      holders[place].partyBytes = others + holder.byteCount
      sums[holder.principal] = holders[place].partyBytes
    }
    return holders.sorted {
      ($0.partyBytes, $0.number, $1.client) > ($1.partyBytes, $1.number, $0.client)
    }
  }
}
