import Foundation
import TestSupport
import Testing

/// Connections of HTTP over which nobody has said who it is, where that is asked.
@Suite struct PostStrangerTests {
  private static let get = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
  private let made: MadeToken

  init() throws { made = try MadeToken() }

  private func stage(_ bounds: String) throws -> Stage {
    // Each loop has room for one at least.
    try Stage(
      bounds: bounds, listen: "auth = \"required\"", more: "[[principal]]\nname = \"ada\"\n\(made.kept)",
      environment: RunningGateway.oneLoop)
  }

  private var ping: [UInt8] { PostScene.post(PostScene.ping, "Authorization: Bearer \(made.token)\r\n") }

  private func expectKnown(_ client: LineSocket) throws {
    try client.send(bytes: ping)
    let answer = try client.expectAnswer()
    #expect(answer.content == PostScene.pong && answer["connection"] == "keep-alive", "\(answer)")
  }

  /// Whether a connection is not refused, which may end it at once.
  private func isServed(_ client: LineSocket, _ request: [UInt8]) -> Bool {
    (try? client.send(bytes: request)) != nil && (try? client.receive())?.hasPrefix("HTTP/1.1 200") == true
  }

  /// A place is free as soon as the turn has ended in which it was left.
  private func expectRoom(on stage: Stage) throws {
    try expectEventually("there is room for who says who it is") {
      isServed(try stage.gateway.connect(), ping)
    }
  }

  @Test func `they count among those that have not said who they are, until they have`() throws {
    let stage = try stage("unauthenticatedConnections = 2")
    let clients = try (0..<2).map { _ in try stage.gateway.connect() }
    for client in clients {
      try client.send(bytes: Self.get)
      #expect(try client.expectAnswer().status == 200)
    }
    let refused = try stage.gateway.connect()
    #expect(try refused.expect().isError(-32082, id: "null") && refused.receive() == nil)
    try expectKnown(clients[0])
    try expectRoom(on: stage)
    // A WebSocket has the place that it had as a connection of HTTP.
    let peer = try WebSocketPeer(clients[1])
    #expect(try peer.isInStep())
    let last = try eventually("there is room for one") {
      let client = try stage.gateway.connect()
      return isServed(client, Self.get) ? client : nil
    }
    let another = try stage.gateway.connect()
    #expect(try another.expect().isError(-32082, id: "null"))
    last.close()
    try expectRoom(on: stage)
  }

  @Test func `who comes in the turn in which they have spoken finds them counted`() throws {
    let stage = try stage("unauthenticatedConnections = 2")
    let clients = try (0..<2).map { _ in try stage.gateway.connect() }
    // Both are known to the gateway.
    let refused = try stage.gateway.connect()
    #expect(try refused.expect().isError(-32082, id: "null"))
    stage.gateway.program.signal(SIGSTOP)
    for client in clients { try client.send(bytes: Self.get) }
    let others = try (0..<8).map { _ in try stage.gateway.connect() }
    stage.gateway.program.signal(SIGCONT)
    for client in clients { #expect(try client.expectAnswer().status == 200) }
    for other in others { #expect(try other.expect().isError(-32082, id: "null")) }
  }

  @Test func `those whom a reload asks no more need not say it`() throws {
    let stage = try Stage(
      bounds: "unauthenticatedConnections = 1\nauthenticateMs = 600000",
      listen: "auth = \"required\" # of the first",
      more: """
        [[listen]]
        address = "127.0.0.1:0"
        auth = "required"
        [[principal]]
        name = "ada"
        \(made.kept)
        """,
      environment: RunningGateway.oneLoop)
    let stranger = try stage.gateway.connect()
    try stranger.send(bytes: Self.get)
    #expect(try stranger.expectAnswer().status == 200)
    func isRefused() throws -> Bool {
      let other = try LineSocket(stage.gateway.addresses[1])
      return !isServed(other, Self.get)
    }
    try expectEventually("it has the only place") { try isRefused() }
    try stage.reload("auth = \"required\" # of the first", as: "auth = \"none\"")
    try expectEventually("its place is free") { try !isRefused() }
    #expect(isServed(stranger, Self.get))
  }

  @Test func `they have authenticateMs to say it`() throws {
    let stage = try stage("authenticateMs = 3000\nmessageMs = 600000\nhttpIdleMs = 600000")
    let known = try stage.gateway.connect()
    try expectKnown(known)
    let idle = try stage.gateway.connect()
    try idle.send(bytes: Self.get)
    #expect(try idle.expectAnswer().status == 200)
    #expect(try idle.receive() == nil)
    let whole = PostScene.post(PostScene.ping)
    for count in [20, whole.count - 1] {
      let client = try stage.gateway.connect()
      try client.send(bytes: Self.get + whole[..<count])
      #expect(try client.expectAnswer().status == 200)
      let answer = try client.expectAnswer()
      #expect(answer.status == 401 && answer["www-authenticate"] == "Bearer", "\(answer)")
      #expect(answer.content.isError(-32087, id: "null"), "\(answer)")
      #expect(try client.answer() == nil)
    }
    try expectKnown(known)
  }
}
