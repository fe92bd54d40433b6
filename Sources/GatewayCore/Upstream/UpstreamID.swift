/// A connection to one of an upstream's endpoints, named by a number that is free again once it is closed.
package struct UpstreamID: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}
