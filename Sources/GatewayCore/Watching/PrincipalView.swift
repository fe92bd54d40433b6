/// A principal as it is at one moment.
package struct PrincipalView: Hashable, Sendable {
  package let name: String
  package let connections: Int
  /// That have not ended, of connections that are gone, too.
  package let tasks: Int
  package let requestBytes: Int
  package let tally: PrincipalTally
}
