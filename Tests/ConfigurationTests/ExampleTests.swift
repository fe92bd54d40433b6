import Foundation
import GatewayCore
import Identity
import JSONRPC
import Testing

@testable import Configuration

/// The example file, which is also the documentation.
@Suite struct ExampleTests {
  private var committed: String {
    get throws {
      let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      return try String(
        contentsOf: repository.appendingPathComponent("examples/lastword.toml"), encoding: .utf8)
    }
  }

  /// With the settings that have no default switched on, too, as far as this build knows them.
  private var switchedOn: String {
    let (isWithoutHTTP, isWithoutTLS) = (!HTTPAddress.isBuilt, !FileConfiguration.hasTLS)
    var (isOfHTTP, isOfTLS) = (false, false)
    return ExampleFile.text.components(separatedBy: "\n\n").filter { paragraph in
      if paragraph.contains("[[") {
        isOfHTTP = paragraph.contains("https:")
        isOfTLS = paragraph.contains("TLS")
      }
      return !(isOfHTTP && isWithoutHTTP || isOfTLS && isWithoutTLS)
    }.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if (line.hasPrefix("#token = ") || line.hasPrefix("#tokens = ")) && !TokenDigest.isBuilt { return line }
      return line.hasPrefix("#") && line.dropFirst().first.map { $0.isLetter || $0 == "[" } == true
        ? line.dropFirst() : line
    }.joined(separator: "\n")
  }

  @Test func `the committed example is what the command prints`() throws {
    #expect(try committed == ExampleFile.text + "\n")
  }

  @Test func `every value in it is the default`() throws {
    let read = try configuration(ExampleFile.text)
    let standard = FileConfiguration()
    #expect(
      SettingList.text(of: read, showsOrigins: false) == SettingList.text(of: standard, showsOrigins: false))
  }

  @Test func `it sets everything that has a default`() throws {
    let shown = SettingList.text(of: try configuration(ExampleFile.text), showsOrigins: true)
    #expect(!shown.contains("# default"))
    #expect(shown.contains("messageBytes = 4_194_304  # lw.toml:"))
  }

  @Test func `what it only suggests is right, too`() throws {
    let read = try configuration(switchedOn)
    #expect(read.routes.count == 1)
    #expect(read.routes[0].core.key?.text == "/textDocument/uri")
    #expect(read.upstreams[0].core.connectMilliseconds == 4_000)
    for setting in RouteSettings.settings { #expect(read.routes[0].isGiven(setting.name)) }
    var unknown: Set<String> = []
    if !HTTPAddress.isBuilt { unknown.formUnion(UpstreamSettings.urlSettings.map(\.name)) }
    if !FileConfiguration.hasTLS { unknown.formUnion(UpstreamSettings.tlsSettings.map(\.name)) }
    for setting in UpstreamSettings.settings where !unknown.contains(setting.name) {
      #expect(read.upstreams.contains { $0.isGiven(setting.name) }, "\(setting.name)")
    }
  }

  @Test func `what is shown is a file that says the same`() throws {
    let once = SettingList.text(of: try configuration(switchedOn), showsOrigins: true)
    let twice = SettingList.text(of: try configuration(once), showsOrigins: false)
    #expect(SettingList.text(of: try configuration(switchedOn), showsOrigins: false) == twice)
  }

  @Test func `no line is longer than a screen is wide`() {
    for line in ExampleFile.text.split(separator: "\n") { #expect(line.count <= 110) }
  }
}
