/// A client's connection, named by a number that is free again once it is closed.
package struct ClientID: Hashable, Sendable {
  package let slot: Int
  package init(slot: Int) { self.slot = slot }
}
