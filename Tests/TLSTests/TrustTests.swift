#if TLS
import TLS
import TestSupport
import Testing

/// Whom each side believes.
@Suite struct TrustTests {
  private let papers: Papers

  init() throws { papers = try Papers.all() }

  private func clientFault(
    _ server: TLSContext, _ client: TLSContext, name: String = "localhost"
  ) throws -> TLSFault? {
    let pair = try EnginePair(server, client, name: name)
    pair.talk()
    #expect(pair.client.fault != nil || pair.client.isSecured)
    return pair.client.fault
  }

  // MARK: Servers

  @Test(arguments: ["localhost", "127.0.0.1", "::1"])
  func `a server is believed by its names and addresses`(name: String) throws {
    #expect(try clientFault(papers.serverContext(), papers.clientContext(), name: name) == nil)
  }

  @Test(arguments: ["example.com", "127.0.0.2", "local", "localhost.example", "::2"])
  func `a certificate for another name is refused`(name: String) throws {
    let fault = try clientFault(papers.serverContext(), papers.clientContext(), name: name)
    #expect(fault?.kind == .untrusted)
    #expect(fault?.description.contains("is for another") == true, "\(String(describing: fault))")
  }

  @Test func `a server that another authority vouches for is refused, and hears of it`() throws {
    let pair = try EnginePair(papers.serverContext(), papers.clientContext(of: papers.foreign))
    pair.talk()
    #expect(pair.client.fault?.kind == .untrusted)
    #expect(pair.client.fault?.description.contains("nobody who is trusted") == true)
    #expect(pair.server.fault?.description.contains("unknown ca") == true)
  }

  @Test func `a certificate that has expired is refused`() throws {
    let fault = try clientFault(papers.serverContext(papers.expired), papers.clientContext())
    #expect(fault == TLSFault(.untrusted, "the peer's certificate: it has expired"))
  }

  @Test func `without an authority of its own a client trusts whom the system does`() throws {
    let fault = try clientFault(papers.serverContext(), TLSContext(client: TLSClientSettings()))
    #expect(fault?.kind == .untrusted)
  }

  @Test(arguments: ["", "a\0b"])
  func `a certificate cannot be for a name like this`(name: String) throws {
    let context = try papers.clientContext()
    #expect(throws: TLSFault.self) { try TLSEngine(client: context, to: name) }
  }

  // MARK: Server names

  @Test(arguments: [
    ("localhost", "CN=server"), ("other.example", "CN=other"), ("a.wild.example", "CN=other"),
    ("127.0.0.1", "CN=server"),
  ])
  func `which certificate a client gets goes by the name that it asks for`(
    name: String, subject: String
  ) throws {
    let server = try papers.serverContext(papers.server, papers.other)
    let pair = try EnginePair(server, papers.clientContext(), name: name)
    pair.talk()
    #expect(pair.client.peer?.subject == subject)
  }

  @Test func `without a match it is the first certificate`() throws {
    let server = try papers.serverContext(papers.other, papers.server)
    let pair = try EnginePair(server, papers.clientContext(), name: "127.0.0.1")
    pair.talk()
    #expect(pair.client.fault?.description.contains("another address") == true)
  }

  // MARK: Clients

  @Test func `a client's certificate says who it is`() throws {
    let pair = try EnginePair(
      papers.serverContext(requires: true), papers.clientContext(showing: papers.client))
    pair.talk()
    let peer = try #require(pair.server.peer)
    #expect(peer.subject == "CN=alice,O=Example")
    #expect(peer.dnsNames == ["alice.example"])
    #expect(peer.uris == ["spiffe://example/alice"])
    #expect(peer.emails == ["alice@example.com"])
    #expect(peer.addresses == [[10, 0, 0, 1]])
    #expect(peer.fingerprint.count == 32)
  }

  @Test func `a name of a host that is no ASCII is left out`() throws {
    let paper = try papers.authority.paper(
      "kelvin", subject: "/CN=kelvin", names: ["DNS:\u{212A}iosk.example", "DNS:b.example"])
    let pair = try EnginePair(papers.serverContext(requires: true), papers.clientContext(showing: paper))
    pair.talk()
    let peer = try #require(pair.server.peer)
    #expect(peer.dnsNames == ["b.example"])
  }

  @Test func `a client that has to show a certificate and has none is refused`() throws {
    let pair = try EnginePair(papers.serverContext(requires: true), papers.clientContext())
    pair.talk()
    #expect(pair.server.fault == TLSFault(.untrusted, "the peer showed no certificate"))
    #expect(!pair.server.isSecured)
  }

  @Test func `one that need not is served, and is nobody`() throws {
    let pair = try EnginePair(papers.serverContext(asks: true), papers.clientContext())
    pair.talk()
    #expect(pair.server.isSecured)
    #expect(pair.server.peer == nil)
  }

  @Test(arguments: [false, true])
  func `a certificate of another authority is refused, asked for or required`(requires: Bool) throws {
    let pair = try EnginePair(
      papers.serverContext(asks: true, requires: requires),
      papers.clientContext(showing: papers.foreignClient))
    pair.talk()
    #expect(pair.server.fault?.kind == .untrusted)
    #expect(!pair.server.isSecured)
  }

  @Test func `where nobody asks, a certificate is not shown`() throws {
    let pair = try EnginePair(papers.serverContext(), papers.clientContext(showing: papers.client))
    pair.talk()
    #expect(pair.server.isSecured)
    #expect(pair.server.peer == nil)
  }

  @Test func `another context says whether it would let the same client in`() throws {
    let pair = try EnginePair(
      papers.serverContext(requires: true), papers.clientContext(showing: papers.client))
    pair.talk()
    #expect(try papers.serverContext(requires: true).wouldTrust(pair.server))
    #expect(try !papers.serverContext().wouldTrust(pair.server), "nobody vouches for it any more")
    var settings = TLSServerSettings([try papers.identity(papers.server)])
    settings.clientCA = try papers.foreign.certificateBytes()
    #expect(try !TLSContext(server: settings).wouldTrust(pair.server))
    let nobody = try EnginePair(papers.serverContext(), papers.clientContext())
    nobody.talk()
    #expect(try !papers.serverContext(requires: true).wouldTrust(nobody.server))
    #expect(try papers.serverContext(asks: true).wouldTrust(nobody.server))
    #expect(try papers.serverContext().wouldTrust(nobody.server))
  }
}
#endif
