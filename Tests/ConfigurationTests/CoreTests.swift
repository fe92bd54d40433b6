import GatewayCore
import JSONRPC
import Testing

@testable import Configuration

/// What reaches the gateway: everything that is said, or it is refused.
@Suite struct CoreTests {
  private func refusals(_ configuration: FileConfiguration) -> [String] {
    do {
      try configuration.checkSupported()
      return []
    } catch {
      return error.complaints.map(\.description)
    }
  }

  @Test func `the defaults are the core's own`() {
    let standard = FileConfiguration()
    var core = GatewayConfiguration()
    core.listeners = [ListenerOptions()]
    #expect("\(standard.core)" == "\(core)")
    #expect(refusals(standard).isEmpty)
  }

  @Test func `no bound is ignored`() throws {
    for setting in BoundSettings.settings {
      guard case .integer(let range, _) = setting.form, case .integer(let standard)? = setting.standard else {
        continue
      }
      let other = standard < range.upperBound ? standard + 1 : standard - 1
      let changed = try configuration("[bounds]\n\(setting.name) = \(other)")
      let isRefused = !refusals(changed).isEmpty
      #expect(isRefused == ("\(changed.core)" == "\(FileConfiguration().core)"), "\(setting.name)")
    }
  }

  /// Each says one thing about a listener, an upstream or a route.
  @Test(arguments: [
    ("listen", "address = 'a:1'", ["scope = 'connection'", "eof = 'cancel'", "errorProfile = 'lsp'"]),
    (
      "upstream", "name = 'a'\naddress = 'tcp:a:1'",
      ["cancel = 'mcp'", "connectMs = 5", "outputSoftBytes = 2000", "outputHardBytes = 2000000"]
    ),
    (
      "route", "method = 'a'",
      [
        "key = '/a'", "requireKey = true", "policy = 'wait'", "policies = ['cancel']", "join = 'identical'",
        "compensate = 'b'", "timeoutMs = 1", "drainMs = 1", "debounceMs = 1", "debounceMs = 1\nmaxWaitMs = 2",
        "maxStaleMs = 1",
      ]
    ),
  ])
  func `nothing that is said of a block is ignored`(name: String, required: String, others: [String]) throws {
    let block = "[[\(name)]]\n\(required)\n"
    var seen: Set = ["\(try configuration(block).core)"]
    for other in others {
      let changed = try configuration(block + other)
      #expect(refusals(changed).isEmpty)
      #expect(seen.insert("\(changed.core)").inserted, "\(other)")
    }
    let settings = [
      "listen": ListenerSettings.settings.count, "upstream": UpstreamSettings.settings.count,
      "route": RouteSettings.settings.count - 1,
    ]
    #expect(others.count + required.split(separator: "\n").count == settings[name])
  }

  @Test func `a block becomes what the core calls it`() throws {
    let text = """
      [[listen]]
      address = "a:1"
      [[listen]]
      address = "a:2"
      scope = "connection"
      eof = "cancel"
      errorProfile = "lsp"
      [[upstream]]
      name = "a"
      address = "tcp:a:1"
      [[upstream]]
      name = "b"
      address = "tcp:b:1"
      cancel = "none"
      connectMs = 7
      [[route]]
      method = "a/*"
      upstream = "b"
      key = "/k"
      [[route]]
      method = "a/b"
      compensate = "a/c"
      """
    let core = try configuration(text).core
    #expect(core.listeners.map(\.cancelsAtEnd) == [false, true])
    #expect(core.listeners.map(\.hidesSupersession) == [false, true])
    #expect(core.listeners.map(\.scope) == [.shared, .connection])
    #expect(core.upstreams.map(\.cancel) == [.lsp, .none])
    #expect(core.upstreams.map(\.connectMilliseconds) == [nil, 7])
    #expect(core.routes.map(\.method) == ["a/", "a/b"] && core.routes.map(\.isPrefix) == [true, false])
    #expect(core.routes.map(\.upstream) == [1, 0])
    #expect(core.routes[0].key?.text == "/k" && core.routes[1].compensation == "a/c")
  }

  @Test func `what cannot be done yet is refused where it is said`() throws {
    let text = """
      [bounds]
      idBytes = 64
      [[upstream]]
      name = "a"
      address = "demo"
      [[upstream]]
      name = "b"
      address = "demo"
      """
    #expect(
      refusals(try configuration(text)) == [
        "lw.toml:2:11: error: 'idBytes' other than its default 128 is not supported yet",
      ])
  }
}
