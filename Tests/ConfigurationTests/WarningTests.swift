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
}
