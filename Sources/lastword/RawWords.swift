/// Finds what on the command line is no UTF-8: the parser would take other words in their place.
enum RawWords {
  /// The place of the first of them behind the program's name; nil: all are.
  static var firstWithoutUTF8: Int? {
    (1..<max(1, Int(CommandLine.argc))).first { place in
      // The words stay where they are as long as the process runs.
      guard let word = unsafe CommandLine.unsafeArgv[place] else { return false }
      return unsafe String(validatingCString: word) == nil
    }
  }
}
