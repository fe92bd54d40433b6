import Addresses
import LibUV
import Testing

/// When a peer that says nothing is asked whether it is still there.
@Suite struct KeepAliveTests {
  @Test(arguments: [
    (1, 1), (999, 1), (1_000, 1), (1_001, 2), (60_000, 60), (3_600_000, 3_600), (32_767_000, 32_767),
    (32_767_001, 32_767), (Int.max, 32_767),
  ])
  func `milliseconds are whole seconds that a kernel takes`(milliseconds: Int, seconds: Int) {
    #expect(KeepAlive(milliseconds: milliseconds).map { Int($0.idleSeconds) } == seconds)
  }

  @Test(arguments: [0, -1, Int.min]) func `none at all is never`(milliseconds: Int) {
    #expect(KeepAlive(milliseconds: milliseconds) == nil)
  }

  @Test func `a listener takes the longest and the shortest, and a Unix socket ignores it`() throws {
    let directory = try TemporaryDirectory()
    for milliseconds in [1, Int.max] {
      for address in [.anyLoopbackPort, .tcp(host: "::1", port: 0), directory.socket()] {
        let scene = try Scene()
        let listener = try Listener(
          on: scene.loop, address: address, keepAlive: KeepAlive(milliseconds: milliseconds)
        ) { _ in }
        scene.atEnd { listener.close() }
        scene.end()
        scene.run()
      }
    }
  }
}
