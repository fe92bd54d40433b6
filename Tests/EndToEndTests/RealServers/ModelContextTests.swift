import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// MCP servers that speak over their standard input and output.
  @Suite struct ModelContextTests {
    private func gateway(before command: [String]) throws -> RealGateway {
      try RealGateway(
        child: command, upstream: "cancel = \"mcp\"\nperConnection = true", listen: "scope = \"connection\"",
        rest: """
          [[route]]
          method = "tools/call"
          key = "/name"
          policy = "cancel"
          """)
    }

    private func begin(_ peer: Peer) throws -> Message {
      let welcome = try peer.call(
        "initialize",
        [
          "protocolVersion": "2025-06-18", "capabilities": [String: Any](),
          "clientInfo": ["name": "test", "version": "1"],
        ])
      try peer.notify("notifications/initialized")
      return welcome
    }

    private func slow(_ word: String, seconds: Int) -> [String: Any] {
      [
        "name": "slow", "arguments": ["word": word, "seconds": seconds] as [String: Any],
        "_meta": ["progressToken": "token of \(word)"],
      ]
    }

    /// The tool runs once it reports progress, under the token that the client has chosen.
    private func beginSlow(_ word: String, _ peer: Peer) throws -> Int {
      let id = try peer.ask("tools/call", slow(word, seconds: 3600))
      _ = try peer.awaitMessage("notifications/progress") {
        $0.params["progressToken"] as? String == "token of \(word)"
      }
      return id
    }

    private func text(of reply: Message) -> String? {
      (reply["content"] as? [[String: Any]])?.first?["text"] as? String
    }

    /// What the tool has written down, once it says that the call of this word was cut short and that it was told to: it
    /// writes of either first.
    private func notes(at path: String, cutShort word: String) throws -> [[String: Any]] {
      try eventually("\(word) is cut short") {
        let lines = FileManager.default.contents(atPath: path)?.split(separator: 0x0a) ?? []
        let notes = lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        let isCutShort = notes.contains { $0["cutShort"] != nil && $0["word"] as? String == word }
        let isTold = notes.contains { $0["method"] as? String == "notifications/cancelled" }
        return isCutShort && isTold ? notes : nil
      }
    }

    /// The tool was told to cancel just this call, by the id that it knows the call by.
    private func expectCancelled(_ word: String, in notes: [[String: Any]]) throws {
      let call = try #require(
        notes.first {
          (($0["params"] as? [String: Any])?["arguments"] as? [String: Any])?["word"] as? String == word
        })
      let cancels = notes.filter { $0["method"] as? String == "notifications/cancelled" }
        .map { ($0["params"] as? [String: Any])?["requestId"] as? Int }
      #expect(cancels == [call["id"] as? Int])
      #expect(notes.first { $0["word"] as? String == word }?["cutShort"] as? Int == call["id"] as? Int)
    }

    private func gatewayBeforeSlowTool(_ log: String) throws -> RealGateway {
      try gateway(before: [RealServers.python!, RealServers.ours("slow_tool.py"), log])
    }

    @Test func `a slow tool that is superseded is told so by the right id, and its caller hears at once`()
      throws
    {
      let directory = try TemporaryDirectory()
      let log = directory.path + "/log"
      let real = try gatewayBeforeSlowTool(log)
      let peer = try Peer(real.connect(), .lines)
      #expect(try begin(peer)["serverInfo", "name"] as? String == "slow")
      let tools = try peer.call("tools/list", nil)["tools"] as? [[String: Any]]
      #expect(tools?.map { $0["name"] as? String } == ["slow"])

      let older = try beginSlow("older", peer)
      let newer = try peer.ask("tools/call", slow("newer", seconds: 0))
      #expect(try text(of: peer.reply(to: newer)) == "newer")
      #expect(try peer.reply(to: older).errorCode == -32080)
      try expectCancelled("older", in: notes(at: log, cutShort: "older"))
      #expect(peer.replies.count { $0.id == "\(older)" } == 1)
      peer.close()
      try real.family.awaitEnd()
    }

    @Test func `a client that cancels as MCP does stops its own call, whatever its id is upstream`() throws {
      let directory = try TemporaryDirectory()
      let log = directory.path + "/log"
      let real = try gatewayBeforeSlowTool(log)
      let peer = try Peer(real.connect(), .lines)
      _ = try begin(peer)
      let unwanted = try beginSlow("unwanted", peer)
      try peer.notify("notifications/cancelled", ["requestId": unwanted])
      try expectCancelled("unwanted", in: notes(at: log, cutShort: "unwanted"))
      #expect(try text(of: peer.call("tools/call", slow("next", seconds: 0))) == "next")
      #expect(peer.replies.allSatisfy { $0.id != "\(unwanted)" || $0.errorCode == -32800 })
    }

    @Test func `mcp-server-time tells the time, and its errors are its own`() throws {
      let real = try gateway(before: [RealServers.installed("mcp-server-time"), "--local-timezone", "UTC"])
      let peer = try Peer(real.connect(), .lines)
      #expect(try begin(peer)["serverInfo", "name"] as? String == "mcp-time")
      let asked = ["name": "get_current_time", "arguments": ["timezone": "Asia/Tokyo"]] as [String: Any]
      let told = try peer.call("tools/call", asked)
      #expect(told["structuredContent", "timezone"] as? String == "Asia/Tokyo")
      #expect((told["structuredContent", "datetime"] as? String)?.hasSuffix("+09:00") == true)
      let nobody = ["name": "nobody", "arguments": [String: Any]()] as [String: Any]
      #expect(try peer.call("tools/call", nobody).errorCode == -32602)
    }
  }
}
