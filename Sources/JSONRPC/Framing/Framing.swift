/// How the messages of a connection are told apart.
@usableFromInline
package enum Framing: Hashable, Sendable, CaseIterable {
  /// Each is a line.
  case lines
  /// Each follows a header that says its length, as in the Language Server Protocol (3.17, Base Protocol).
  case contentLength
}
