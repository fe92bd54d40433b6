/// The way from the top of a TOML text to one of its values.
struct SourcePath: Hashable {
  enum Step: Hashable {
    case key(String)
    /// Of an array, or of an array of tables.
    case index(Int)
  }

  static let root = SourcePath(steps: [])

  private(set) var steps: [Step]

  func appending(_ step: Step) -> SourcePath { SourcePath(steps: steps + [step]) }
}

/// Where a value's key and the value itself stand; for a table, both are its header's.
struct SourcePlaces: Hashable {
  var key: Place
  var value: Place

  init(key: Place, value: Place) {
    self.key = key
    self.value = value
  }

  init(_ place: Place) { self.init(key: place, value: place) }
}
