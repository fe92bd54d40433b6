/// What a result says of itself; nil where it says nothing.
package struct ResultClaims: Hashable, Sendable {
  /// The request that it is the result of.
  package var number: UInt64?
  /// The how-many-eth request of its key it was at upstream.
  package var arrival: UInt64?
  /// The newest arrival of policy `cancel` that upstream knew of when it answered; 0: none.
  package var newest: UInt64?

  package init(number: UInt64? = nil, arrival: UInt64? = nil, newest: UInt64? = nil) {
    self.number = number
    self.arrival = arrival
    self.newest = newest
  }
}
