import TOML

/// Reads the text of a configuration file as TOML, or returns its mistakes.
enum FileText {
  static func read(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> TOMLEntry {
    do throws(TOMLFault) {
      return try TOMLReader.read(bytes, within: FileConfiguration.limits)
    } catch {
      let earlier = error.earlier.map { " \(Origin.file(file, $0))" } ?? ""
      throw ConfigurationError([Complaint(.file(file, error.place), error.message + earlier)])
    }
  }
}
