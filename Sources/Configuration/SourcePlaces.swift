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
