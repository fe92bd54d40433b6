import TOML

/// The fault of a value, as the part of a sentence that follows the setting's name: "must be …".
struct Mistake: Error {
  let message: String
  /// Where in the value, if not at its start.
  var place: Place?
  /// Which item of a list it is about, from 0.
  var item: Int?

  init(_ message: String, at place: Place? = nil, item: Int? = nil) {
    self.message = message
    self.place = place
    self.item = item
  }
}
