/// What is wrong with a text, and where.
package struct TOMLFault: Error, Hashable, Sendable {
  package let place: Place
  /// A sentence; its end is `earlier`, if there is one.
  package let message: String
  /// Where the other thing stands that this one does not go together with.
  package let earlier: Place?

  init(_ place: Place, _ message: String, at earlier: Place? = nil) {
    self.place = place
    self.message = message
    self.earlier = earlier
  }
}
