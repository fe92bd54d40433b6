import HTTP1
import LibUV
import Secrets
import Testing

@testable import Admin

#if TLS
/// Pages that take a token.
@Suite struct TokenTests {
  private static let token = "lw_0123456789"

  private func scene(_ token: String = token) throws -> AdminScene {
    let digest = try #require(Digest.sha256(Array(token.utf8)))
    let scene = try AdminScene { $0.tokenDigest = digest }
    scene.server.add("/keys") { _ in .text("what clients do\n") }
    scene.server.addStream("/events") { _, _ in }
    scene.server.addHealth { [] }
    scene.server.addLivePage(LivePage(Array("the page".utf8)))
    return scene
  }

  @Test(arguments: [
    "Bearer lw_0123456789", "bearer lw_0123456789", "BEARER lw_0123456789",
  ])
  func `whoever has the token is answered`(value: String) throws {
    let scene = try scene()
    #expect(scene.get("/keys", "Authorization: \(value)\r\n").hasSuffix("\r\n\r\nwhat clients do\n"))
    scene.end()
  }

  @Test(arguments: [
    "", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n", "Authorization: Bearer lw_012345678\r\n",
    "Authorization: Bearer lw_01234567890\r\n", "Authorization: Bearer LW_0123456789\r\n",
    "Authorization: Basic lw_0123456789\r\n",
    "Authorization: lw_0123456789\r\n", "Authorization: Bearer,lw_0123456789\r\n",
    "Authorization: Bearer lw_0123456789, x\r\n", "Cookie: token=lw_0123456789\r\n",
    "Bearer: lw_0123456789\r\n",
    "Proxy-Authorization: Bearer lw_0123456789\r\n", "X-Authorization: Bearer lw_0123456789\r\n",
  ])
  func `nobody else is, nor told why`(fields: String) throws {
    let scene = try scene()
    var answers: Set<String> = []
    for path in ["/keys", "/keys?token=lw_0123456789", "/events", "/none", "//livez", "/livez/", "/%6beys"] {
      let answer = scene.get(path, fields)
      #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), "\(path): \(answer)")
      #expect(answer.contains("\r\nWWW-Authenticate: Bearer\r\n") && !answer.contains("what clients do"))
      answers.insert(answer)
    }
    #expect(answers.count == 1 && scene.server.streamCount == 0)
    scene.end()
  }

  @Test func `two tokens are one too many`() throws {
    let scene = try scene()
    let field = "Authorization: Bearer lw_0123456789\r\n"
    #expect(scene.get("/keys", field + field).hasPrefix("HTTP/1.1 400 "))
    scene.end()
  }

  @Test func `whether it lives, and the page that asks for the token, take none`() throws {
    let scene = try scene()
    for fields in ["", "Authorization: Bearer wrong\r\n"] {
      for path in ["/livez", "/readyz", "/"] {
        #expect(scene.get(path, fields).hasPrefix("HTTP/1.1 200 "), "\(path)")
      }
    }
    scene.end()
  }

  @Test func `a token does not make up for a host or a site that must not ask`() throws {
    let scene = try scene()
    let field = "Authorization: Bearer lw_0123456789\r\n"
    #expect(scene.get("/keys", field + "Origin: http://example.org\r\n").hasPrefix("HTTP/1.1 403 "))
    #expect(
      scene.answer("GET /keys HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\(field)\r\n")
        .hasPrefix("HTTP/1.1 421 "))
    scene.end()
  }

  @Test func `another token holds at once, for those who follow events, too`() throws {
    let scene = try scene()
    let caller = scene.call()
    caller.say("GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Self.token)\r\n\r\n")
    scene.run { scene.server.streamCount == 1 }
    var options = scene.server.options
    options.streams = 3
    scene.server.reconfigure(options)
    #expect(scene.server.streamCount == 1)
    options.tokenDigest = Digest.sha256(Array("another".utf8))
    scene.server.reconfigure(options)
    scene.run { caller.hasEnded }
    #expect(scene.get("/keys", "Authorization: Bearer \(Self.token)\r\n").hasPrefix("HTTP/1.1 401 "))
    #expect(scene.get("/keys", "Authorization: Bearer another\r\n").hasPrefix("HTTP/1.1 200 "))
    options.tokenDigest = nil
    scene.server.reconfigure(options)
    #expect(scene.get("/keys").hasPrefix("HTTP/1.1 200 "))
    scene.end()
  }
}
#endif
