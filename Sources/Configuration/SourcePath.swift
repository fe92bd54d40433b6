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
