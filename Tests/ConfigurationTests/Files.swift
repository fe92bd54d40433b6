import Configuration

/// The configuration that a text says.
func configuration(_ text: String) throws -> FileConfiguration {
  try FileConfiguration(ConfigurationSources(file: ("lw.toml", Array(text.utf8))))
}

/// Everything that is wrong with a text, as it is reported.
func complaints(_ text: String) -> [String] { complaints(Array(text.utf8)) }

func complaints(_ bytes: [UInt8]) -> [String] {
  complaints(ConfigurationSources(file: ("lw.toml", bytes)))
}

func complaints(_ sources: ConfigurationSources) -> [String] {
  do {
    _ = try FileConfiguration(sources)
    return []
  } catch {
    return error.complaints.map(\.description)
  }
}
