/// One block of settings with where each value comes from.
@dynamicMemberLookup
package struct Section<Values: SettingValues>: Sendable {
  package internal(set) var values: Values
  /// Of the block as a whole.
  package internal(set) var origin: Origin
  /// Of the settings that were given, by name.
  var origins: [String: Origin] = [:]
  /// The settings with a refused value. Checks that need them are left out, for they would only repeat that.
  var refused: Set<String> = []

  init(_ values: Values = Values(), origin: Origin = .standard) {
    self.values = values
    self.origin = origin
  }

  package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

  package func origin(of name: String) -> Origin { origins[name] ?? .standard }

  /// Where the file has it; nil: it has none.
  var fileOrigin: Origin? { if case .file = origin { origin } else { nil } }

  func isGiven(_ name: String) -> Bool { origins[name] != nil }

  func isSound(_ names: String...) -> Bool { refused.isDisjoint(with: names) }

  /// Takes a value, whose form was checked, from where it comes.
  mutating func set(
    _ setting: Setting<Values>, to value: SettingValue, from origin: Origin
  ) throws(Mistake) {
    try setting.write(value, &values)
    origins[setting.name] = origin
    refused.remove(setting.name)
  }

  /// Another setting takes its place.
  mutating func forget(_ name: String) {
    origins[name] = nil
    refused.remove(name)
  }
}
