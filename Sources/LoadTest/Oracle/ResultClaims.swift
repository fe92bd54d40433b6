/// What a result tells about itself; nil where it tells nothing.
package struct ResultClaims: Hashable, Sendable {
  /// The request that it is the result of.
  package var number: UInt64?
  /// Its number among the requests of its key, in the order of their arrival at upstream.
  package var arrival: UInt64?
  /// The newest arrival of policy `cancel` that upstream knew of when it answered; 0: none.
  package var newest: UInt64?

  package init(number: UInt64? = nil, arrival: UInt64? = nil, newest: UInt64? = nil) {
    self.number = number
    self.arrival = arrival
    self.newest = newest
  }
}
