/// Where the members of one JSON-RPC message lie in the span it was scanned in; nothing is copied.
package struct Envelope: Sendable {
  /// The id as it stands there; `none` when there is no id member.
  package var id = ByteRange.none
  /// The method's name with its quotes.
  package var method = ByteRange.none
  /// An array or an object; `none` when the member is missing or null.
  package var params = ByteRange.none
  /// An object.
  package var task = ByteRange.none
  package var result = ByteRange.none
  package var error = ByteRange.none
  package var methodHasEscapes = false
  /// Whether this has a method and no id member, so that it is never answered. An id of null is an id.
  package var isNotification = false

  package init() {}

  /// What is left of a message that is none.
  init(id: ByteRange, isNotification: Bool) {
    self.id = id
    self.isNotification = isNotification
  }

  package var isResponse: Bool { method.isEmpty && !(result.isEmpty && error.isEmpty) }
}
