import Foundation
import TestSupport
import Testing

/// Which program it is, wherever it says so.
@Suite struct VersionTests {
  /// The first line of `--version`, and what the others say by their names.
  private let first: String
  private var facts: [String: String] = [:]

  init() throws {
    let program = try RunningProgram(Programs.lastword, ["--version"])
    first = try #require(program.outputLine())
    while let line = program.outputLine() {
      let colon = try #require(line.range(of: ": "), "\(line)")
      facts[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
    }
    #expect(program.exitStatus() == 0)
  }

  @Test func `the first line is the name and three numbers, for programs that read it`() {
    #expect(first.wholeMatch(of: /lastword \d+\.\d+\.\d+/) != nil, "\(first)")
  }

  @Test func `what a report of a fault needs follows`() throws {
    #expect(Set(facts.keys) == ["revision", "build", "swift", "libuv", "libcurl", "openssl", "system"])
    let isKnown: [String: Regex<Substring>] = [
      "revision": /unknown|[0-9A-Za-z.+_-]+/,
      "build": /(?:debug|release), traits: (?:none|HTTPUpstreams|TLS|HTTPUpstreams, TLS)/,
      "swift": /library \d+\.\d+\.\d+/, "libuv": /1\.\d+\.\d+(?:, built with 1\.\d+\.\d+)?/,
      "libcurl": /none|\d+\.\d+\.\d+\S*(?:, built with \S+)?/,
      "openssl": /none|3\.\d+\.\S+(?:, built with \S+)?/, "system": /Linux \S+, \w+, C library \S+/,
    ]
    for (name, form) in isKnown {
      let fact = try #require(facts[name])
      #expect(fact.wholeMatch(of: form) != nil, "\(name): \(fact)")
    }
    #expect(facts["system"]?.contains("C library unknown") == false)
  }

  @Test func `the log and the metrics name the same version and commit`() throws {
    let gateway = try RunningGateway()
    let revision = try #require(facts["revision"])
    #expect(gateway.banner[0].hasSuffix("\(first) revision=\(revision)"), "\(gateway.banner[0])")
    let version = first.dropFirst("lastword ".count)
    let mode = try #require(facts["build"]).prefix { $0 != "," }
    let name = #"lastword_build_info{version="\#(version)",revision="\#(revision)",mode="\#(mode)"}"#
    #expect(try gateway.metrics()[name] == 1)
  }
}
