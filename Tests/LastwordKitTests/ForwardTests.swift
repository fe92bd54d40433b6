import LastwordKit
import TestSupport
import Testing

/// Methods that a server answers, beside those that Swift code does.
@Suite struct ForwardTests {
  @Test func `what is forwarded and what is handled go their own ways`() async throws {
    let (lsp, rest) = (try ListeningSocket(), try ListeningSocket())
    var gateway = Gateway(listen: ["127.0.0.1:0"])
    gateway.handle("lsp.version") { (_: NoParams) in "ours" }
    gateway.forward("lsp.*", to: lsp.address, key: "/uri", cancel: .mcp)
    gateway.forward("exactly", to: rest.address)
    gateway.forward("also", to: rest.address)
    try await ServedGateway.serving(gateway) { served in
      let (language, other) = (try lsp.accept(), try rest.accept())
      let client = try served.connect()
      #expect(try client.ask("lsp.version") == #""result":"ours""#)
      #expect(try client.ask("unknown").hasPrefix(#""error":{"code":-32601,"#))
      try client.send(request("also", "[ 1.0 ]", id: 5))
      #expect(try other.expect().hasSuffix(#","method":"also","params":[ 1.0 ]}"#))
      try client.send(request("lsp.hover", #"{"uri":"a"}"#, id: 6))
      _ = try language.expect()
      try client.send(request("lsp.hover", #"{"uri":"a"}"#, id: 7))
      #expect(try client.outcome(id: 6).hasPrefix(#""error":{"code":-32080,"#))
      #expect(try language.expect().contains(#""method":"notifications/cancelled""#))
    }
  }
}
