import TestSupport
import Testing

/// What connections by HTTP hold beside the core: what was read ahead of a request that is under way.
@Suite struct PostMemoryTests {
  /// Three quarters of it are for clients.
  private static let bounds = "memoryBytes = 4_194_304"
  private static let clientBytes = 3.0 * 1024 * 1024
  private static let aheadBytes = 60 * 1024

  private let scene: PostScene
  private var greedy: [LineSocket] = []

  init() throws { scene = try PostScene(bounds: Self.bounds) }

  /// A POST that is not answered, and a part of the next one, that long.
  private mutating func crowd(_ count: Int) throws {
    let ahead = [UInt8](repeating: UInt8(ascii: " "), count: Self.aheadBytes)
    for number in 0..<count {
      let socket = try scene.connect()
      try socket.send(bytes: PostScene.post(#"{"jsonrpc":"2.0","id":\#(number),"method":"m"}"#))
      _ = try scene.upstream.asked()
      // It may be closed in the middle of it.
      try? socket.send(bytes: PostScene.post("", length: 1 << 20) + ahead)
      greedy.append(socket)
    }
  }

  private func heldBytes() throws -> Double {
    try scene.gateway.metrics()["lastword_held_bytes"] ?? .infinity
  }

  @Test mutating func `what was read ahead counts while it lasts`() throws {
    try crowd(4)
    let least = Double(4 * Self.aheadBytes)
    try expectEventually("all of it counts") { try heldBytes() >= least }
    for socket in greedy { socket.close() }
    try expectEventually("nothing is held any more") { try heldBytes() < 16 * 1024 }
  }

  @Test mutating func `where there is no room those with most are closed, and others are served`() throws {
    try crowd(80)
    try scene.gateway.awaitLog("there is no room for them in 'memoryBytes'")
    #expect(try heldBytes() <= Self.clientBytes)
    let connections = try scene.gateway.metrics()["lastword_client_connections"] ?? 0
    #expect(connections >= 40 && connections < 80, "\(connections)")
    #expect(try scene.ask(PostScene.post(PostScene.ping)).status == 200)
  }
}
