import Identity
import TaskStore
import Testing

@Suite struct PrincipalDirectoryTests {
  private func principal(_ name: String, users: [UInt32], namespace: String? = nil) -> PrincipalOptions {
    var principal = PrincipalOptions(name: name)
    principal.users = users
    principal.namespace = namespace
    return principal
  }

  @Test func `who is known by nothing is nobody`() {
    let directory = PrincipalDirectory([principal("ada", users: [1])])
    #expect(directory.find(.user(2)) == nil && directory.options(of: .unknown) == nil)
    #expect(directory.options(of: .anonymous) == nil)
  }

  @Test func `of what a certificate says the first that is known counts`() throws {
    var (ada, eve) = (principal("ada", users: []), principal("eve", users: []))
    ada.certificates = [CertificateName(.dns, "A.example"), CertificateName(.uri, "u:ada")]
    eve.certificates = [CertificateName(.uri, "u:eve")]
    let directory = PrincipalDirectory([ada, eve])
    func found(_ names: [CertificateName]) -> String? {
      directory.find(.certificate(names)).flatMap { directory.options(of: $0)?.name }
    }
    #expect(
      found([]) == nil && found([CertificateName(.uri, "U:ada"), CertificateName(.email, "u:ada")]) == nil)
    #expect(found([CertificateName(.dns, "x"), CertificateName(.dns, "a.EXAMPLE")]) == "ada")
    #expect(found([CertificateName(.uri, "u:eve"), CertificateName(.uri, "u:ada")]) == "eve")
  }

  @Test func `a letter that Unicode takes for one of ASCII is another one in a name of a host`() {
    #expect(CertificateName(.dns, "\u{212A}iosk.example") != CertificateName(.dns, "kiosk.example"))
    #expect(CertificateName(.dns, "KIOSK.example") == CertificateName(.dns, "kiosk.example"))
  }

  @Test func `each of many tokens is its principal's, until a reload takes it away`() throws {
    func digest(_ owner: Int, _ number: Int) throws -> TokenDigest {
      let bytes = [UInt8(truncatingIfNeeded: owner), UInt8(owner >> 8), UInt8(number)]
      return try #require(TokenDigest(bytes: bytes + [UInt8](repeating: 7, count: 29)))
    }
    var principals: [PrincipalOptions] = []
    for owner in 0..<1024 {
      var options = PrincipalOptions(name: "\(owner)")
      options.tokens = try (0..<16).map { try digest(owner, $0) }
      principals.append(options)
    }
    var directory = PrincipalDirectory(principals)
    var isWrong = false
    for owner in 0..<1024 {
      for number in 0..<16 {
        let found = try directory.find(.token(digest(owner, number)))
        if found.flatMap({ directory.options(of: $0)?.name }) != "\(owner)" { isWrong = true }
      }
    }
    #expect(!isWrong)
    let (unknown, removed, kept) = (try digest(1024, 0), try digest(5, 0), try digest(5, 1))
    #expect(directory.find(.token(unknown)) == nil && directory.find(.token(removed)) != nil)
    principals[5].tokens.removeFirst()
    directory.load(principals)
    #expect(directory.find(.token(removed)) == nil && directory.find(.token(kept)) != nil)
  }

  @Test func `a name keeps its number, whatever a reload does to others`() throws {
    var directory = PrincipalDirectory([principal("ada", users: [1]), principal("ben", users: [2])])
    let ben = try #require(directory.find(.user(2)))
    directory.load([principal("ben", users: [2])])
    #expect(directory.find(.user(2)) == ben && directory.find(.user(1)) == nil)
    directory.load([principal("ada", users: [2]), principal("ben", users: [3])])
    #expect(directory.find(.user(3)) == ben && directory.find(.user(2)) != ben)
  }

  @Test func `principals share a namespace only if they say so`() throws {
    let directory = PrincipalDirectory([
      principal("ada", users: [1]), principal("ben", users: [2], namespace: "ada"),
      principal("eve", users: [3]),
    ])
    let known = try [1, 2, 3].map { try #require(directory.find(.user($0))) }
    #expect(known[0].namespace == known[1].namespace && known[0] != known[1])
    #expect(known[2].namespace != known[0].namespace && known.allSatisfy { $0.namespace > 0 })
  }

  private func allows(_ rules: Rules, _ method: String) -> Bool { rules.allows(Array(method.utf8).span) }

  @Test func `a method is allowed by its name or its beginning, byte by byte`() {
    var rules = Rules()
    #expect(allows(rules, "any") && !rules.restrictsMethods)
    rules.methods = [.init("echo"), .init("search.", isPrefix: true)]
    for (method, isAllowed) in [
      ("echo", true), ("echo2", false), ("ech", false), ("search.", true), ("search.all", true),
      ("search", false),
      ("", false),
    ] {
      #expect(allows(rules, method) == isAllowed, "\(method)")
    }
    rules.methods = []
    #expect(!allows(rules, "echo"))
  }
}
