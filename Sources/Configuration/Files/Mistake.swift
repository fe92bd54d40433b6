import TOML

/// The fault of a value, as the part of a sentence that follows the setting's name: "must be …".
struct Mistake: Error {
  let message: String
  /// The place in the value; nil: its start.
  var place: Place?
  /// The index of the wrong item of a list, from 0; nil: the value is no list.
  var item: Int?

  init(_ message: String, at place: Place? = nil, item: Int? = nil) {
    self.message = message
    self.place = place
    self.item = item
  }
}
