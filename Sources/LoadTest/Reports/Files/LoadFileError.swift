/// Why a file is no report of a load run, and where in it that shows.
package struct LoadFileError: Error, Hashable, Sendable {
  package let file: String
  /// The way to the value from outside inwards, as in `intervals[3].sent`; empty for the whole file.
  package let place: String
  package let reason: String
}

extension LoadFileError: CustomStringConvertible {
  package var description: String {
    [file, place, reason].filter { !$0.isEmpty }.joined(separator: ": ").printable
  }
}
