/// A call that an upstream sees: the how manieth it is that asks this.
package struct CallName: Hashable, Sendable {
  package var ask: Int
  package var occurrence: Int
}
