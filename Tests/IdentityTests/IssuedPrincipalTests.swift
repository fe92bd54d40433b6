import Identity
import TestSupport
import Testing

/// Those whom only an issuer knows: what they are called, who shares keys with them, and how many they may be.
@Suite struct IssuedPrincipalTests {
  private let key: TestKey
  private let options: IssuerOptions

  init() throws {
    key = try TestKey(.ed25519)
    options = try TestIssuer.options([key])
  }

  /// A directory that expectations may change.
  private final class Door {
    var directory: PrincipalDirectory
    init(_ directory: PrincipalDirectory) { self.directory = directory }

    func enter(_ identity: IssuedIdentity, limit: Int) -> Principal? {
      directory.enter(identity, limit: limit)
    }
    func find(_ identity: IssuedIdentity) -> Principal? { directory.find(.issued(identity)) }
  }

  private func door(_ principals: [PrincipalOptions] = []) -> Door {
    Door(PrincipalDirectory(principals, issuers: [options]))
  }

  private func identity(
    _ name: String, _ door: Door, _ more: String = ""
  ) throws -> IssuedIdentity {
    try door.directory.identity(try key.token(TestIssuer.claims(name, more)))
  }

  @Test func `each has a name and a namespace that nobody else can have`() throws {
    let door = door([PrincipalOptions(name: "ada")])
    let ada = try identity("ada", door)
    #expect(door.find(ada) == nil, "it has no number before it comes")
    let principal = try #require(door.enter(ada, limit: 2))
    #expect(door.enter(ada, limit: 2) == principal && door.find(ada) == principal)
    #expect(door.directory.options(of: principal)?.name == "login/ada")
    let eve = try #require(door.enter(try identity("eve", door), limit: 2))
    #expect(eve.number != principal.number && eve.namespace != principal.namespace)
    // The configuration's own has number and namespace 1.
    #expect(!([principal, eve].contains { $0.number == 1 || $0.namespace == 1 }))
  }

  @Test func `a subject that the configuration names is its principal`() throws {
    var reports = PrincipalOptions(name: "reports")
    reports.namespace = "team"
    reports.rules.mayInspect = false
    reports.subjects = [IssuedSubject(issuer: "login", subject: "ada")]
    let door = door([reports])
    let principal = try #require(door.enter(try identity("ada", door), limit: 0))
    #expect(door.directory.options(of: principal)?.name == "reports")
    #expect(door.directory.options(of: principal)?.rules.mayInspect == false)
    #expect(
      door.enter(try identity("Ada", door), limit: 0) == nil, "another one, and none may come")
  }

  @Test func `a subject that the configuration names is its principal, whatever keys there are`() throws {
    let ada = try identity("ada", door())
    var reports = PrincipalOptions(name: "reports")
    reports.subjects = [IssuedSubject(issuer: "login", subject: "ada")]
    var otherTerms = options
    otherTerms.terms.audiences = ["another"]
    for issuer in [try TestIssuer.options([try TestKey(.ed25519)]), otherTerms] {
      let door = Door(PrincipalDirectory([reports], issuers: [issuer]))
      #expect(door.find(ada) == nil, "its token would not count here")
      let principal = try #require(door.enter(ada, limit: 1))
      #expect(door.directory.options(of: principal)?.name == "reports")
      #expect(!door.directory.isFull(limit: 1), "nobody is new")
    }
  }

  @Test func `a claim makes several share a namespace`() throws {
    var options = options
    options.terms.namespaceClaim = "org"
    let door = Door(PrincipalDirectory(issuers: [options]))
    let team = #","org":"team""#
    let ada = try #require(door.enter(try identity("ada", door, team), limit: 3))
    let eve = try #require(door.enter(try identity("eve", door, team), limit: 3))
    let other = try #require(door.enter(try identity("eve", door, #","org":"x""#), limit: 3))
    #expect(ada.number != eve.number && ada.namespace == eve.namespace)
    #expect(other.number == eve.number && other.namespace != eve.namespace)
    #expect(
      [ada, eve, other].map { door.directory.namespaceName(of: $0) } == [
        "login/team", "login/team", "login/x",
      ])
  }

  @Test func `beyond the bound nobody new comes, until those who mean nothing any more are forgotten`() throws
  {
    let door = door()
    let ada = try #require(door.enter(try identity("ada", door), limit: 2))
    let eve = try #require(door.enter(try identity("eve", door), limit: 2))
    let bob = try identity("bob", door)
    #expect(door.directory.isFull(limit: 2) && door.enter(bob, limit: 2) == nil)
    // One of them is there, and keys of the other are in use.
    let keys: Set = [Int(eve.namespace)]
    #expect(door.directory.forgetIssued(but: [ada], busy: [eve.number], namespaces: keys) == [])
    #expect(door.directory.options(of: eve)?.name == "login/eve", "something still counts for it")
    #expect(door.directory.forgetIssued(but: [ada], busy: [], namespaces: keys) == [eve.number])
    #expect(door.directory.options(of: eve) == nil && door.directory.options(of: ada)?.name == "login/ada")
    #expect(door.enter(bob, limit: 2) == nil, "that namespace still counts")
    // Whoever comes back meets the keys that it had.
    let again = try #require(door.enter(try identity("eve", door), limit: 3))
    #expect(again.namespace == eve.namespace)
    #expect(door.directory.forgetIssued(but: [ada], busy: [], namespaces: []) == [again.number])
    let new = try #require(door.enter(bob, limit: 2))
    #expect(new.namespace == eve.namespace && door.directory.namespaceName(of: new) == "login/bob")
    #expect(new != ada && door.directory.options(of: new)?.name == "login/bob")
    #expect(door.find(try identity("eve", door)) == nil)
  }

  // MARK: Reloading

  @Test func `a token counts as long as its issuer, its terms and its key do`() throws {
    let door = door()
    let ada = try identity("ada", door)
    let principal = try #require(door.enter(ada, limit: 1))
    var other = options
    other.leewayMilliseconds = 1_000
    other.rules.mayJoin = false
    door.directory.load([], issuers: [other])
    #expect(door.find(ada) == principal && door.directory.endMilliseconds(ada) == 1_800_000_061_000)
    #expect(door.directory.options(of: principal)?.rules.mayJoin == false)

    let changes: [(inout IssuerOptions) -> Void] = [
      { $0.terms.audiences = ["another"] }, { $0.terms.issuer += "/" }, { $0.terms.name = "x" },
      { $0.terms.principalClaim = "email" },
    ]
    for change in changes {
      var other = options
      change(&other)
      door.directory.load([], issuers: [other])
      #expect(door.find(ada) == nil)
    }
    other = try TestIssuer.options([try TestKey(.ed25519)])
    door.directory.load([], issuers: [other])
    #expect(door.find(ada) == nil, "another key of the same name")
    door.directory.load([], issuers: [])
    #expect(door.find(ada) == nil && door.directory.options(of: principal) == nil)
    door.directory.load([], issuers: [options])
    #expect(door.find(ada) == principal, "its number is still its own")
  }

  @Test func `a subject that a reload names is somebody else from then on`() throws {
    let door = door()
    let ada = try identity("ada", door)
    let before = try #require(door.enter(ada, limit: 1))
    var named = PrincipalOptions(name: "ada")
    named.subjects = [IssuedSubject(issuer: "login", subject: "ada")]
    door.directory.load([named], issuers: [options])
    #expect(try #require(door.find(ada)).number != before.number)
  }
}
