/// Finds what a command line says twice and can count only once: the parser would take the last of it without a word.
enum RepeatedFlags {
  /// What may be given several times, by its command.
  private static let lists: [String: Set<String>] = [
    "serve": ["--listen", "--compensate"], "load": ["--member", "--fail-if", "--with"],
  ]

  /// The first that is given again; nil: none is.
  static func first(in words: [String]) -> String? {
    let lists = words.first.flatMap { Self.lists[$0] } ?? []
    var seen: Set<String> = []
    // What stands behind two hyphens is another program's.
    return words.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }
      .first { !lists.contains($0) && !seen.insert($0).inserted }
  }
}
