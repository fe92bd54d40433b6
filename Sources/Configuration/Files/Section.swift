/// One block of settings, with the origin of each value.
@dynamicMemberLookup
package struct Section<Values: SettingValues>: Sendable {
  package internal(set) var values: Values
  /// The origin of the block as a whole.
  package internal(set) var origin: Origin
  /// The origins of the settings that were given, by name.
  var origins: [String: Origin] = [:]
  /// The settings whose values were refused. Checks that need them are skipped, as they would only repeat the
  /// complaint.
  var refused: Set<String> = []

  init(_ values: Values = Values(), origin: Origin = .standard) {
    self.values = values
    self.origin = origin
  }

  package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

  package func origin(of name: String) -> Origin { origins[name] ?? .standard }

  /// The block's place in the file; nil: it does not come from the file.
  var fileOrigin: Origin? { if case .file = origin { origin } else { nil } }

  func isGiven(_ name: String) -> Bool { origins[name] != nil }

  func isSound(_ names: String...) -> Bool { refused.isDisjoint(with: names) }

  /// Sets a value whose form was checked, with its origin.
  mutating func set(
    _ setting: Setting<Values>, to value: SettingValue, from origin: Origin
  ) throws(Mistake) {
    try setting.write(value, &values)
    origins[setting.name] = origin
    refused.remove(setting.name)
  }

  /// Forgets a setting that another one replaces.
  mutating func forget(_ name: String) {
    origins[name] = nil
    refused.remove(name)
  }
}
