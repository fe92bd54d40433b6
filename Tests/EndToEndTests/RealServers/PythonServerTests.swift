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
      #expect(replies.dropLast().allSatisfy { $0.errorCode == -32801 || $0.result != nil })
      #expect(replies.contains { $0.errorCode == -32801 })
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

  /// An editor and python-lsp-server, which is its own child behind a recorder.
  @Suite struct PythonOrderTests {
    @Test func `no completion reaches pylsp behind an edit that came after it`() throws {
      let real = try RealGateway(
        child: [RealServers.installed("pylsp")],
        upstream: "framing = \"content-length\"\ncancel = \"lsp\"\nperConnection = true",
        rest: """
          [[route]]
          method = "textDocument/completion"
          key = "/textDocument/uri"
          policy = "cancel"
          """)
      let document = TypedDocument(
        path: real.directory.path + "/shop.py", language: "python",
        before: "class Basket:\n    banana_count = 0\n\n\nbasket = Basket()\n", after: "")
      let editor = try Editor(real.connect(), document)
      _ = try editor.begin(in: real.directory.path)
      let server = try #require(real.recordings().first).process

      // While it stands still the cancelled ones drain, and the newest is held back.
      kill(server, SIGSTOP)
      let ids = try editor.type("basket.ba")
      for id in ids.dropLast() { _ = try editor.peer.reply(to: id) }
      try editor.peer.notify("textDocument/didChange", document.changed(to: "banana", version: 100))
      #expect(try editor.peer.reply(to: ids.last!).errorCode == -32801)
      kill(server, SIGCONT)
      #expect(try editor.completion(behind: "basket.b").labels.contains("banana_count"))
      try expectOrder(real.recordings(), document)
    }

    /// Each completion was asked for at the end of the line that the server had then.
    private func expectOrder(_ recordings: [Recording], _ document: TypedDocument) throws {
      var line = 0
      for message in try #require(recordings.first).received {
        if message.method == "textDocument/didChange" {
          let changes = message.params["contentChanges"] as? [[String: Any]]
          let text = try #require(changes?.first?["text"] as? String)
          line = text.dropFirst(document.before.count).prefix { $0 != "\n" }.count
        } else if message.method == "textDocument/completion" {
          #expect((message.params["position"] as? [String: Any])?["character"] as? Int == line)
        }
      }
    }
  }
}
