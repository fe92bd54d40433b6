import ArgumentParser
import LoadTest

/// `lastword load compare`: prints the differences between runs that were saved as files.
struct LoadCompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare runs that --json has kept.",
    discussion: """
      It says of each difference whether it can be chance. What two runs of the same differ by shows only with \
      several on each side: lastword load compare a1.json a2.json a3.json --with b1.json b2.json b3.json
      """)

  @Argument(
    help: "Files that lastword load --json wrote: two of them, or all those of one side.",
    completion: .file(extensions: ["json"]))
  var files: [String]

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("The files of the other side.", valueName: "files"),
    completion: .file(extensions: ["json"]))
  var with: [String] = []

  func validate() throws {
    guard !with.isEmpty || files.count == 2 else {
      throw ValidationError("without --with there are two files to compare")
    }
  }

  func run() throws {
    let runs = try files.map(read)
    let others = try with.map(read)
    let comparison = others.isEmpty ? LoadComparison([runs[0]], [runs[1]]) : LoadComparison(runs, others)
    let sides = others.isEmpty ? (files.prefix(1), files.suffix(1)) : (files[...], with[...])
    Console.print("  A  " + sides.0.joined(separator: ", "))
    Console.print("  B  " + sides.1.joined(separator: ", "))
    Console.print("")
    for line in comparison.lines { Console.print(line) }
  }

  private func read(_ path: String) throws -> LoadMeasurement {
    let bytes = try ReportFile.read(path)
    do throws(LoadFileError) {
      return try LoadJSON.read(bytes, file: path)
    } catch {
      Console.error("\(error)")
      throw ExitCode(65)
    }
  }
}
