import GatewayCore
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
    #expect("\(standard.core)" == "\(GatewayConfiguration())")
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
      #expect(isRefused == ("\(changed.core)" == "\(GatewayConfiguration())"), "\(setting.name)")
    }
  }

  @Test func `what is an upstream's own comes before what all have`() throws {
    let text = """
      [bounds]
      connectMs = 1
      upstreamOutputSoftBytes = 2000
      upstreamOutputHardBytes = 3000
      [[upstream]]
      name = "a"
      address = "tcp:a:1"
      cancel = "mcp"
      """
    let shared = try configuration(text).core
    #expect(shared.connectMilliseconds == 1 && shared.upstreamOutputSoftBytes == 2_000)
    #expect(shared.upstreams.map(\.cancel) == [.mcp])
    let own = try configuration(text + "\nconnectMs = 5\noutputSoftBytes = 2500\noutputHardBytes = 2600").core
    #expect(own.connectMilliseconds == 5)
    #expect(own.upstreamOutputSoftBytes == 2_500 && own.upstreamOutputHardBytes == 2_600)
  }

  @Test func `a method to compensate reaches the core`() throws {
    let read = try configuration("[[route]]\nmethod = 'join'\ncompensate = 'leave'")
    #expect(refusals(read).isEmpty)
    #expect(read.core.routes == [Route(method: "join", compensation: "leave")])
  }

  @Test func `what cannot be done yet is refused where it is said`() throws {
    let text = """
      [bounds]
      idBytes = 64
      [[listen]]
      address = "127.0.0.1:0"
      scope = "connection"
      eof = "reply"
      [[listen]]
      address = "127.0.0.1:0"
      eof = "cancel"
      errorProfile = "lsp"
      [[upstream]]
      name = "a"
      address = "demo"
      [[upstream]]
      name = "b"
      address = "demo"
      [[route]]
      method = "a*"
      key = "/a"
      """
    #expect(
      refusals(try configuration(text)) == [
        "lw.toml:2:11: error: 'idBytes' other than its default 128 is not supported yet",
        "lw.toml:5:9: error: 'scope' other than its default \"shared\" is not supported yet",
        "lw.toml:9:7: error: 'eof' other than its default \"reply\" is not supported yet",
        "lw.toml:10:16: error: 'errorProfile' other than its default \"standard\" is not supported yet",
        "lw.toml:14:3: error: more than one upstream is not supported yet",
        "lw.toml:18:10: error: 'method' with a '*' is not supported yet",
        "lw.toml:19:7: error: 'key' is not supported yet",
      ])
  }
}
