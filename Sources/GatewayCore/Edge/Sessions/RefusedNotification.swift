/// The first notification of a connection that was refused, which its sender does not hear of.
package struct RefusedNotification: Hashable, Sendable {
  package let method: String
  package let reason: String
}
