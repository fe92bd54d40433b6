/// What is wrong with a value, as the part of a sentence that follows the setting's name: "must be …".
struct Mistake: Error {
  let message: String
  /// Where in the value, if not at its start.
  var place: Place?

  init(_ message: String, at place: Place? = nil) {
    self.message = message
    self.place = place
  }
}
