import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// Editors and python-lsp-server over TCP, which serves one connection at a time.
  @Suite struct PythonServerTests {
    let server: RunningProgram
    let real: RealGateway
    let document: TypedDocument

    init() throws {
      server = try RunningProgram(
        RealServers.installed("pylsp"), ["--tcp", "--host", "127.0.0.1", "--port", "0"])
      let port = try eventually("pylsp listens") { [server] in TCPTable.listeningPort(of: server.identifier) }
      real = try RealGateway(
        address: "tcp:127.0.0.1:\(port)",
        upstream: "framing = \"content-length\"\ncancel = \"lsp\"\nperConnection = true",
        listen: "errorProfile = \"lsp\"\nscope = \"connection\"",
        rest: """
          [[route]]
          method = "textDocument/completion"
          key = "/textDocument/uri"
          policy = "cancel"
          """)
      document = TypedDocument(
        path: real.directory.path + "/shop.py", language: "python",
        before: """
          class Basket:
              apple_count = 0
              apricot_count = 0
              banana_count = 0


          basket = Basket()

          """, after: "")
    }

    /// The server computes every completion that it is sent, and hears of a cancel only afterwards.
    private func expectLastAnswerRight(_ editor: Editor) throws {
      let ids = try editor.type("basket.banana")
      let last = try editor.peer.reply(to: ids.last!)
      #expect(last.labels == ["banana_count"])
      let replies = editor.peer.replies.suffix(ids.count)
      #expect(replies.compactMap(\.id).sorted() == ids.map(String.init).sorted())
      #expect(replies.last?.id == "\(ids.last!)")
      #expect(replies.dropLast().allSatisfy { $0.errorCode == -32800 || $0.result != nil })
      #expect(replies.contains { $0.errorCode == -32800 })
    }

    @Test
    func `editors whose completions pylsp cannot cancel get the last one, each on a connection of its own`()
      throws
    {
      let first = try Editor(real.connect(), document)
      #expect(try first.begin(in: real.directory.path)["serverInfo", "name"] as? String == "pylsp")
      try expectLastAnswerRight(first)
      let waiting = try Editor(real.connect(), document)
      let welcome = try waiting.peer.ask(
        "initialize", ["processId": NSNull(), "capabilities": [String: Any]()])
      try expectLastAnswerRight(first)
      #expect(waiting.peer.replies.isEmpty)

      // Only when the first one's connection is closed, behind the gateway too, has the server time for the next.
      first.peer.close()
      #expect(try waiting.peer.reply(to: welcome)["serverInfo", "name"] as? String == "pylsp")
      try waiting.peer.notify("initialized")
      try waiting.peer.notify("textDocument/didOpen", document.opened(with: ""))
      try expectLastAnswerRight(waiting)
      #expect(try waiting.leave().result is NSNull)
    }
  }
}
