import ArgumentParser
import LoadTest

/// `lastword load compare`: what differs between runs that were kept as files.
struct LoadCompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare two runs that --json has kept.",
    discussion: "It says of each difference whether it can be chance.")

  @Argument(help: "A file that lastword load --json wrote.")
  var before: String

  @Argument(help: "Another one.")
  var after: String

  func run() throws {
    let runs = try [before, after].map(read)
    for line in LoadComparison([runs[0]], [runs[1]]).lines { Console.print(line) }
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
