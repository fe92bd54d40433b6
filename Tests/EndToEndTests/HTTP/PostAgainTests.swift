import Foundation
import TestSupport
import Testing

/// POSTs whose heads are like the last one's on their connection, which the gateway knows at sight.
@Suite struct PostAgainTests {
  /// A gateway whose configuration changes.
  private final class Reloaded {
    private let path: String
    private let directory: TemporaryDirectory
    let gateway: RunningGateway

    init(_ configuration: String) throws {
      directory = try TemporaryDirectory()
      path = directory.path + "/lastword.toml"
      try Data(configuration.utf8).write(to: URL(fileURLWithPath: path))
      gateway = try RunningGateway(["--config", path], listen: [], reachesUpstream: false)
    }

    func reload(_ configuration: String) throws {
      try Data(configuration.utf8).write(to: URL(fileURLWithPath: path))
      gateway.program.signal(SIGHUP)
      try gateway.awaitLog("configuration reloaded")
    }
  }

  private func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.ping"}"# }
  private func pong(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":null}"# + "\n" }

  /// What an answer says but for its length.
  private func said(_ answer: HTTPAnswer) -> [String] {
    let fields = answer.fields.filter { $0.name != "content-length" }
    return ["\(answer.status)"] + fields.map { "\($0.name): \($0.value)" }
  }

  @Test func `each is answered as the first was, whatever its length`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    var heads: [[String]] = []
    for id in [1, 2, 30, 400_000, 5, 66] {
      try client.send(bytes: PostScene.post(ping(id)))
      let answer = try client.expectAnswer()
      #expect(answer.content == pong(id) && answer["content-length"] == "\(pong(id).utf8.count)")
      heads.append(said(answer))
    }
    #expect(heads.allSatisfy { $0 == heads[0] }, "\(heads)")
  }

  @Test func `they may come in any pieces, and several at once`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(ping(1)))
    #expect(try client.expectAnswer().content == pong(1))
    for byte in PostScene.post(ping(2)) { try client.send(bytes: [byte]) }
    #expect(try client.expectAnswer().content == pong(2))
    try client.send(bytes: (3...40).flatMap { PostScene.post(ping($0)) })
    for id in 3...40 { #expect(try client.expectAnswer().content == pong(id)) }
  }

  @Test func `what each says itself counts`() throws {
    let scene = try PostScene(bounds: "messageBytes = 2000")
    let client = try scene.connect()
    let events = "Accept: text/event-stream\r\n"
    for (number, fields) in ["", events, events, "", "X-Other: 1\r\n", ""].enumerated() {
      try client.send(bytes: PostScene.post(ping(number), fields))
      let answer = try client.expectAnswer()
      let isStream = fields == events
      #expect(answer["content-type"] == (isStream ? "text/event-stream" : "application/json"), "\(answer)")
      #expect(answer.content == (isStream ? "data: \(pong(number))\n" : pong(number)))
    }
    try client.send(bytes: PostScene.post("  ", ""))
    #expect(try client.expectAnswer().status == 400)
    let other = try scene.connect()
    try other.send(bytes: PostScene.post(ping(1)))
    #expect(try other.expectAnswer().status == 200)
    try other.send(bytes: PostScene.post(ping(2) + String(repeating: " ", count: 2_000)))
    #expect(try other.expectAnswer().status == 413)
    let last = try scene.connect()
    try last.send(bytes: PostScene.post(ping(1)) + PostScene.post(ping(2), "Connection: close\r\n"))
    #expect(try last.expectAnswer()["connection"] == "keep-alive")
    #expect(try last.expectAnswer()["connection"] == "close")
    #expect(try last.answer() == nil)
  }

  @Test func `a batch, a notification and an error are answered as they are`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    for _ in 1...2 {
      try client.send(bytes: PostScene.post(ping(1)))
      #expect(try client.expectAnswer().status == 200)
      try client.send(bytes: PostScene.post(#"{"jsonrpc":"2.0","method":"n"}"#))
      let accepted = try client.expectAnswer()
      #expect(accepted.status == 202 && accepted["content-length"] == "0")
      #expect(try scene.upstream.asked().method == "n")
      try client.send(bytes: PostScene.post("[\(ping(1)),\(ping(2))]"))
      #expect(try client.expectAnswer().content.contains(#""id":2"#))
      try client.send(bytes: PostScene.post(ping(3).replacing(",", with: ",\n") + "\n"))
      #expect(try client.expectAnswer().content == pong(3))
    }
    try client.send(bytes: PostScene.post("{}"))
    #expect(try client.expectAnswer().content.contains("-32600"))
    try client.send(bytes: PostScene.post("{"))
    #expect(try client.expectAnswer().status == 400)
  }

  @Test func `a reload counts for connections that are open`() throws {
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\n"
    let site = "https://a.example"
    let scene = try Reloaded(listen + "origins = [\"\(site)\"]\n")
    let client = try scene.gateway.connect()
    for id in 1...3 {
      try client.send(bytes: PostScene.post(ping(id), "Origin: \(site)\r\n"))
      let answer = try client.expectAnswer()
      #expect(answer.status == 200 && answer["access-control-allow-origin"] == site, "\(answer)")
    }
    try scene.reload(listen)
    try client.send(bytes: PostScene.post(ping(4), "Origin: \(site)\r\n"))
    #expect(try client.expectAnswer().status == 403)
  }

  @Test func `a token counts as long as it does`() throws {
    let (ada, bob) = (try MadeToken(), try MadeToken())
    let listen = "[[listen]]\naddress = \"127.0.0.1:0\"\nauth = \"required\"\n"
    let bobs = "[[principal]]\nname = \"bob\"\n\(bob.kept)\n"
    let scene = try Reloaded(listen + "[[principal]]\nname = \"ada\"\n\(ada.kept)\n" + bobs)
    let client = try scene.gateway.connect()
    for id in 1...3 {
      try client.send(bytes: PostScene.post(ping(id), "Authorization: Bearer \(ada.token)\r\n"))
      #expect(try client.expectAnswer().content == pong(id))
    }
    try scene.reload(listen + bobs)
    try client.send(bytes: PostScene.post(ping(4), "Authorization: Bearer \(ada.token)\r\n"))
    #expect(try client.expectAnswer().status == 401)
  }
}
