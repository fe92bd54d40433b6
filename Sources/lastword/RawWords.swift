/// Finds words on the command line that are no UTF-8: the parser would read other words instead.
enum RawWords {
  /// The place of the first such word behind the program's name; nil: all are UTF-8.
  static var firstWithoutUTF8: Int? {
    (1..<max(1, Int(CommandLine.argc))).first { place in
      // The words stay in place as long as the process runs.
      guard let word = unsafe CommandLine.unsafeArgv[place] else { return false }
      return unsafe String(validatingCString: word) == nil
    }
  }
}
