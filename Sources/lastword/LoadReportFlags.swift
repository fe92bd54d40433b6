import ArgumentParser
import LoadTest

/// Where the reports of a load go, and when it has failed.
struct LoadReportFlags: ParsableArguments {
  @Option(help: ArgumentHelp("Write what was measured as JSON; - is standard output.", valueName: "file"))
  var json: String?

  @Option(
    help: ArgumentHelp("Write a line for each interval as CSV; - is standard output.", valueName: "file"))
  var csv: String?

  @Option(help: ArgumentHelp("Write a page with curves as HTML; - is standard output.", valueName: "file"))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "Exit with 99 if this holds, such as 'p99 > 20ms'. May be given several times.", valueName: "rule"))
  var failIf: [FailureRule] = []

  @Flag(help: "Show nothing while the load runs, and no text in the end.")
  var quiet = false

  func validate() throws {
    guard [json, csv, html].count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard output takes one of the reports, not several")
    }
  }

  /// Whether standard output is a file's.
  var isOutputTaken: Bool { [json, csv, html].contains("-") }

  /// Writes what was asked for.
  func write(_ measurements: [LoadMeasurement]) throws {
    if let html { try ReportFile.write(Array(LoadHTML.page(measurements).utf8), to: html) }
    guard let measurement = measurements.first, measurements.count == 1 else { return }
    if let json { try ReportFile.write(LoadJSON.bytes(measurement), to: json) }
    if let csv { try ReportFile.write(Array(LoadCSV.text(measurement).utf8), to: csv) }
  }
}

extension FailureRule: ExpressibleByArgument {
  package init?(argument: String) {
    do throws(FailureRuleError) {
      try self.init(argument)
    } catch {
      // The parser has no place for it in its own message.
      Console.error("\(error)")
      return nil
    }
  }
}
