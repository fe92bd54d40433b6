/// Finds flags that are given twice but may be given only once: the parser would silently take the last one.
enum RepeatedFlags {
  /// The flags that may be given several times, by their command.
  private static let lists: [String: Set<String>] = [
    "serve": ["--listen", "--compensate"], "load": ["--member", "--fail-if", "--with"],
  ]

  /// The first flag that is repeated; nil: none is.
  static func first(in words: [String]) -> String? {
    let lists = words.first.flatMap { Self.lists[$0] } ?? []
    var seen: Set<String> = []
    // Words behind `--` belong to another program.
    return words.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }
      .first { !lists.contains($0) && !seen.insert($0).inserted }
  }
}
