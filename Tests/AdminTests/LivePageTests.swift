import Foundation
import TestSupport
import Testing

@testable import Admin

/// The page that is built in.
@Suite struct LivePageTests {
  @Test func `each script has the name that the policy knows, and another each time`() throws {
    let page = LivePage(Array("<script>a</script><b onclick=x><script>c</script>".utf8))
    var names: Set<String> = []
    for _ in 0..<2 {
      let response = page.response()
      let start = try #require(response.policy.firstRange(of: "script-src 'nonce-")).upperBound
      let name = String(response.policy[start...].prefix { $0 != "'" })
      let tag = "<script nonce=\"\(name)\">"
      #expect(
        String(decoding: response.body, as: UTF8.self)
          == "\(tag)a</script><b onclick=x>\(tag)c</script>")
      names.insert(name)
    }
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.count > 16 })
  }

  @Test func `it needs nothing from elsewhere`() {
    let response = LivePage.embedded().response()
    let text = String(decoding: response.body, as: UTF8.self)
      // A name, not an address.
      .replacing("http://www.w3.org/2000/svg", with: "")
    #expect(text.contains("<title>lastword"))
    for foreign in ["http://", "https://", "src=\"//", "@import"] { #expect(!text.contains(foreign)) }
    #expect(response.policy.hasPrefix("default-src 'none'; "))
    for word in ["connect-src 'self'", "frame-ancestors 'none'"] { #expect(response.policy.contains(word)) }
    #expect(!response.policy.contains("unsafe-eval"))
  }

  @Test func `every file of it is built in, once`() throws {
    let page = String(decoding: LivePage.embedded().response().body, as: UTF8.self)
      .replacing(#/ nonce="[^"]*"/#, with: "")
    let directory = Programs.repository + "/Sources/Admin/Page/Parts"
    let texts = try FileManager.default.contentsOfDirectory(atPath: directory).map {
      try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
    }
    for text in texts { #expect(page.contains(text), "\(text.prefix(60))") }
    #expect(page.utf8.count == texts.reduce(0) { $0 + $1.utf8.count })
  }

  @Test func `a gateway that is not ready says why`() throws {
    let scene = try AdminScene()
    var reasons: [String] = []
    scene.server.addHealth { reasons }
    #expect(scene.get("/readyz").hasSuffix("\r\n\r\nready\n"))
    reasons = ["draining", "upstream a is not connected"]
    let answer = scene.get("/readyz")
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    #expect(answer.hasSuffix("\r\n\r\ndraining\nupstream a is not connected\n"))
    #expect(scene.get("/livez").hasSuffix("\r\n\r\nok\n"))
    scene.end()
  }
}
