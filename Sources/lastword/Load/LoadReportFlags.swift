import ArgumentParser
import Glibc
import LoadTest

/// The files for a load's reports, and the rules by which it fails.
struct LoadReportFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write what was measured as JSON; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var json: String?

  @Option(
    help: ArgumentHelp("Write a line for each interval as CSV; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @Option(
    help: ArgumentHelp("Write a page with curves as HTML; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    help: ArgumentHelp(
      """
      Exit with 99 if this holds, such as 'p99 > 20ms', 'service.p99.9 >= 1s', 'errors > 1%' or 'rate < 500': \
      \(FailureRule.forms). May be given several times.
      """, valueName: "rule"))
  var failIf: [FailureRule] = []

  @Flag(help: "Show nothing while the load runs, and no text in the end.")
  var quiet = false

  func validate() throws {
    guard [json, csv, html].count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard output takes one of the reports, not several")
    }
  }

  /// Whether the text report for people is printed.
  var showsText: Bool { !quiet && ![json, csv, html].contains("-") }

  /// Fails if there was no reply: then there is nothing to report.
  func expectReplies(_ measurement: LoadMeasurement) throws {
    guard let failure = measurement.failure, measurement.replies == 0 else {
      guard measurement.wasRefusedWhole else { return }
      Console.error("\(LoadVerdict(measurement)); \(TokenSource.hint)")
      throw ExitCode(EX_UNAVAILABLE)
    }
    Console.error(failure)
    throw ExitCode(EX_UNAVAILABLE)
  }

  /// Fails if a reply was wrong; prints the violations to standard error, unless the text report has shown them.
  func expectRight(_ measurements: [LoadMeasurement]) throws {
    if !showsText { for summary in measurements.compactMap(\.errorSummary) { Console.error(summary) } }
    guard let wrong = measurements.first(where: { LoadVerdict($0) != .right }) else { return }
    if !showsText {
      Console.error("\(LoadVerdict(wrong))")
      for violation in wrong.violations { Console.error(violation.description) }
    }
    throw ExitCode.failure
  }

  /// Writes the reports that the flags ask for.
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
      // The parser's own message has no place for this error.
      Console.error("\(error)")
      return nil
    }
  }
}
