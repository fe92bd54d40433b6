/// What can be said but not done yet: each is refused where it is said, and nothing is ignored.
extension FileConfiguration {
  /// Bounds that are fixed: only their defaults are accepted.
  private static let fixedBounds = [
    "nestingLevels", "idBytes", "keyBytes", "methodBytes", "turnBytes",
  ]

  package func checkSupported() throws(ConfigurationError) {
    let complaints = changes(of: Self.fixedBounds, in: bounds)
    guard complaints.isEmpty else { throw ConfigurationError(complaints) }
  }

  private func changes<Values>(of names: [String], in section: Section<Values>) -> [Complaint] {
    names.compactMap { name in
      guard let setting = Values.setting(name), let standard = setting.standard,
        setting.read(section.values) != standard
      else { return nil }
      return Complaint(
        section.origin(of: name), "'\(name)' other than its default \(standard.toml) is not supported yet")
    }
  }
}
