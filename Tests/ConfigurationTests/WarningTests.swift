import Configuration
import Testing

/// What is allowed, and hardly meant.
@Suite struct WarningTests {
  private static let end =
    " is for requests with a key, and this route has no 'key': those without one supersede nothing; "
    + "if all bring their own, say 'requireKey = true'"

  @Test(arguments: [
    ("policy = 'cancel'", "'policy'"), ("join = 'never'", "'join'"), ("debounceMs = 5", "'debounceMs'"),
    ("maxStaleMs = 5", "'maxStaleMs'"),
    ("maxRunning = 2", "'maxRunning'"),
  ])
  func `a route with a rule for keys and no key is told of, with its place`(rule: String, name: String) throws
  {
    let settings = try configuration("[[route]]\nmethod = 'm'\n\(rule)")
    let column = rule.firstIndex(of: "=").map { rule.distance(from: rule.startIndex, to: $0) + 3 } ?? 0
    #expect(settings.warnings.map(\.description) == ["lw.toml:3:\(column): warning: \(name)\(Self.end)"])
  }

  @Test(arguments: [
    "policy = 'wait'\nkey = '/k'", "policy = 'wait'\nrequireKey = true", "policy = 'concurrent'",
    "timeoutMs = 5", "",
  ])
  func `nothing is said where a key is given, required or not needed`(rules: String) throws {
    #expect(try configuration("[[route]]\nmethod = 'm'\n\(rules)").warnings == [])
  }

  @Test(arguments: [
    ("memoryBytes = 8_000_000", ["3:15"]), ("memoryBytes = 8_000_000\nmessageBytes = 2_000_001", ["4:16"]),
    ("messageBytes = 5_000_000\nmemoryBytes = 19_999_999", ["3:16"]),
    ("memoryBytes = 8_000_000\nmessageBytes = 2_000_000", []), ("memoryBytes = 0", []),
    ("messageBytes = 200_000_000", []),
  ])
  func `requests that there is never room for are told of, with their place`(bounds: String, places: [String])
    throws
  {
    let warnings = try configuration("\n[bounds]\n\(bounds)").warnings.map(\.description)
    #expect(warnings.map { $0.split(separator: " ")[0] } == places.map { "lw.toml:\($0):" })
    #expect(warnings.allSatisfy { $0.contains("is more than a quarter of 'memoryBytes'") })
  }
}
