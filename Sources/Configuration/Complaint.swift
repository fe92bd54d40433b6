/// One thing that is wrong with a configuration, and the exact place of it.
package struct Complaint: Hashable, Sendable, CustomStringConvertible {
  package let origin: Origin
  package let message: String

  package init(_ origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
  }

  /// As compilers say it: `lastword.toml:3:8: error: …`.
  package var description: String { "\(origin.exactDescription): error: \(message)" }
}

/// Everything that is wrong with a configuration, in the order of its places.
package struct ConfigurationError: Error, CustomStringConvertible {
  package let complaints: [Complaint]

  package init(_ complaints: [Complaint]) {
    self.complaints = complaints.sorted { one, other in
      let (place, otherPlace) = (one.origin.sortKey, other.origin.sortKey)
      return place == otherPlace ? one.message < other.message : place < otherPlace
    }
  }

  package var description: String { complaints.map(\.description).joined(separator: "\n") }
}

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
