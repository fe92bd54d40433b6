/// All mistakes in a configuration, in the order of their places.
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
