import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// An editor and sourcekit-lsp, which is each client's own child behind a recorder.
  @Suite struct SourceKitTests {
    let real: RealGateway
    let package: SwiftPackage
    let editor: Editor

    init() throws {
      real = try RealGateway(
        child: ["sourcekit-lsp"],
        upstream: "framing = \"content-length\"\ncancel = \"lsp\"\nperConnection = true",
        listen: "errorProfile = \"lsp\"\nscope = \"connection\"",
        rest: """
          [[route]]
          method = "textDocument/completion"
          key = "/textDocument/uri"
          policy = "cancel"
          """)
      package = try SwiftPackage(at: real.directory.path + "/Shop")
      editor = try Editor(real.connect(), package.counting)
    }

    private func recording() throws -> Recording {
      let recordings = try real.recordings()
      #expect(recordings.count == 1)
      return try #require(recordings.first)
    }

    private func leaveAndExpectNothingLeft() throws {
      #expect(try editor.leave().result is NSNull)
      // Its server has gone; the editor has to hear of that.
      try editor.peer.awaitEnd()
      try real.family.awaitEnd()
    }

    @Test func `the handshake, the server's own requests and the order of changes are as without a gateway`()
      throws
    {
      let welcome = try editor.begin(in: package.directory)
      #expect(welcome["capabilities", "completionProvider"] != nil)
      let registration = try editor.peer.awaitMessage("client/registerCapability")
      // The server reports progress only once its request for a token has been answered.
      let token = try editor.peer.awaitMessage("window/workDoneProgress/create")
      _ = try editor.peer.awaitMessage("$/progress") {
        $0.params["token"] as? String == token.params["token"] as? String
      }
      try editor.awaitOffer(of: "bananaCount", behind: "basket.")
      try leaveAndExpectNothingLeft()

      let recording = try recording()
      let received = recording.received
      // Each under the server's own id, though its client heard another.
      for method in [registration.method, token.method] {
        let id = try #require(recording.sent.first { $0.method == method }?.id)
        #expect(received.count { $0.method == nil && $0.id == id } == 1)
      }
      let versions = received.filter { $0.method == "textDocument/didChange" }
        .map { ($0.params["textDocument"] as? [String: Any])?["version"] as? Int }
      #expect(versions == Array(1...editor.version))
      let typing = received.compactMap(\.method).filter { $0.hasPrefix("textDocument/") }
      let turns = Array(
        repeating: ["textDocument/didChange", "textDocument/completion"], count: editor.version)
      #expect(typing == ["textDocument/didOpen"] + turns.joined())
    }

    @Test func `of twenty completions while somebody types, the last one is right and comes last`() throws {
      _ = try editor.begin(in: package.directory)
      try editor.awaitOffer(of: "bananaCount", behind: "basket.")
      let before = editor.peer.replies.count
      let ids = try editor.type("return basket.banana")
      let last = try editor.peer.reply(to: ids.last!)
      #expect(last.labels.contains("bananaCount") && !last.labels.contains("appleCount"))

      let replies = editor.peer.replies[before...]
      #expect(replies.compactMap(\.id).sorted() == ids.map(String.init).sorted())
      #expect(replies.last?.id == "\(ids.last!)")
      #expect(replies.dropLast().allSatisfy { $0.errorCode == -32801 || $0.result != nil })
      #expect(replies.contains { $0.errorCode == -32801 })
      try leaveAndExpectNothingLeft()
    }

    @Test
    func `stale completions are answered at once, and cancelled at a server that is slow to hear of it`()
      throws
    {
      _ = try editor.begin(in: package.directory)
      try editor.awaitOffer(of: "bananaCount", behind: "basket.")
      let before = try recording().received.count
      let server = try recording().process

      // While it stands still nothing but the gateway can have answered.
      kill(server, SIGSTOP)
      let ids = try editor.type("return basket.banana")
      for id in ids.dropLast() { #expect(try editor.peer.reply(to: id).errorCode == -32801) }
      kill(server, SIGCONT)
      let last = try editor.peer.reply(to: ids.last!)
      #expect(last.labels.contains("bananaCount") && !last.labels.contains("appleCount"))
      try leaveAndExpectNothingLeft()
      try expectCancelled(after: before)
    }

    /// All completions but the last that reached the server were cancelled there, by the id that it knew, once.
    private func expectCancelled(after count: Int) throws {
      let recording = try recording()
      let received = recording.received.dropFirst(count)
      let asked = received.filter { $0.method == "textDocument/completion" }.compactMap(\.id)
      let cancelled = received.filter { $0.method == "$/cancelRequest" }
        .compactMap { $0.params["id"].map { "\($0)" } }
      #expect(!cancelled.isEmpty && cancelled == Array(asked.dropLast()))
      let answers = recording.sent.filter { $0.errorCode == -32800 }.compactMap(\.id)
      #expect(Set(answers).isSuperset(of: cancelled))
    }
  }
}
