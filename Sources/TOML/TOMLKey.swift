/// One part of a key.
struct TOMLKey {
  let name: String
  let place: Place

  /// By which it is told from others: what only looks alike is another key.
  var identity: [UInt8] { Array(name.utf8) }
}

/// A key of one part or of several, with dots between.
struct TOMLPath {
  private(set) var way: [TOMLKey] = []
  private(set) var last: TOMLKey

  init(_ key: TOMLKey) { last = key }

  mutating func append(_ key: TOMLKey) {
    way.append(last)
    last = key
  }
}
