import TLS
import TestSupport
import Testing

/// What a context can be made of, and what is said of the rest.
@Suite struct SettingsTests {
  #if TLS
  private let papers: Papers

  init() throws { papers = try Papers.all() }

  private func fault(_ settings: TLSServerSettings) -> String {
    do throws(TLSFault) {
      _ = try TLSContext(server: settings)
      return ""
    } catch {
      return error.description
    }
  }

  private func fault(chain: [UInt8], key: [UInt8]) -> String {
    fault(TLSServerSettings([TLSIdentity(chain: chain, key: key)]))
  }

  @Test func `the library is there, and says its version`() {
    #expect(TLSLibrary.fault == nil)
    #expect(TLSLibrary.running?.hasPrefix("3.") == true)
    #expect(TLSLibrary.built?.hasPrefix("3.") == true)
  }

  @Test func `what cannot be read is told by what it was to be`() throws {
    let (chain, key) = try (papers.server.chain(), papers.server.keyBytes())
    #expect(fault(chain: chain, key: key) == "")
    #expect(fault(chain: [], key: key).hasPrefix("the certificate: there is no certificate in it"))
    #expect(fault(chain: key, key: key).hasPrefix("the certificate: there is no certificate in it"))
    #expect(fault(chain: chain.dropLast(100) + [], key: key).hasPrefix("the certificate: "))
    #expect(fault(chain: chain + Array(chain.dropLast(100)), key: key).hasPrefix("the certificate: "))
    #expect(fault(chain: chain, key: []).hasPrefix("the key: there is no key in it"))
    #expect(fault(chain: chain, key: chain).hasPrefix("the key: there is no key in it"))
    let other = try papers.other.keyBytes()
    #expect(fault(chain: chain, key: other).hasPrefix("the key: it does not belong to the certificate"))
  }

  @Test func `a key with a password is refused, and nobody is asked for it`() throws {
    let locked = papers.authority.path + "/locked.key"
    try TestAuthority.openssl([
      "pkey", "-in", papers.server.key, "-aes256", "-passout", "pass:secret", "-out", locked,
    ])
    let paper = TestAuthority.Paper(certificate: papers.server.certificate, key: locked)
    let fault = fault(chain: try paper.chain(), key: try paper.keyBytes())
    #expect(fault.contains("that can be read without a password"), "\(fault)")
  }

  @Test func `a server needs a certificate, and somebody who vouches for the clients that it demands one of`()
    throws
  {
    #expect(fault(TLSServerSettings([])) == "there is no certificate")
    var settings = TLSServerSettings([try papers.identity(papers.server)])
    settings.requiresClientCertificate = true
    #expect(fault(settings) == "nobody is named who vouches for clients")
    settings.clientCA = [UInt8]("no PEM")
    #expect(fault(settings).hasPrefix("the certificates of those who vouch: "))
  }

  // MARK: What foreign programs get, by the openssl command

  @Test func `what is too old is refused, and the newest is demanded if that is said`() throws {
    let old = try Self.hello("-tls1_1", papers)
    let pair = try EnginePair(papers.serverContext(), papers.clientContext())
    pair.toServer(old)
    #expect(pair.server.fault?.kind == .handshake)
    #expect(pair.server.fault?.description.contains("unsupported protocol") == true)
    let previous = try Self.hello("-tls1_2", papers)
    let strict = try EnginePair(papers.serverContext(minimum: .v1_3), papers.clientContext())
    strict.toServer(previous)
    #expect(strict.server.fault?.description.contains("unsupported protocol") == true)
    let usual = try EnginePair(papers.serverContext(), papers.clientContext())
    usual.toServer(previous)
    #expect(usual.server.fault == nil)
    #expect(!usual.server.output.isEmpty)
  }

  @Test(arguments: [
    ("http/1.1", "http/1.1"), ("h2,http/1.1", "http/1.1"), ("http/1.1,h2,spdy/3", "http/1.1"), (nil, nil),
  ])
  func `of what a client names the one that is spoken is chosen, and who names nothing is served`(
    offers: String?, expected: String?
  ) throws {
    for version in ["-tls1_2", "-tls1_3"] {
      let pair = try EnginePair(papers.serverContext(speaking: ["http/1.1"]), papers.clientContext())
      pair.toServer(try Self.hello(version, papers, offers))
      #expect(pair.server.fault == nil && !pair.server.output.isEmpty)
      #expect(pair.server.applicationProtocol == expected)
    }
  }

  @Test func `of several that are spoken the first of ours is chosen, by every certificate`() throws {
    let context = try papers.serverContext(papers.other, papers.server, speaking: ["b", "a"])
    for name in ["localhost", "other.example"] {
      let pair = try EnginePair(context, papers.clientContext())
      pair.toServer(try Self.hello("-tls1_3", papers, "x,a,b", name: name))
      #expect(pair.server.applicationProtocol == "b")
    }
  }

  @Test(arguments: [
    ([], "h2,http/1.1"), (["http/1.1"], "h2"), (["http/1.1"], "h2,http/1.0,http/1.10,http/1."),
    (["http/1.1"], "HTTP/1.1"),
  ])
  func `who names only what is not spoken is refused`(spoken: [String], offers: String) throws {
    for version in ["-tls1_2", "-tls1_3"] {
      let pair = try EnginePair(papers.serverContext(speaking: spoken), papers.clientContext())
      pair.toServer(try Self.hello(version, papers, offers))
      #expect(pair.server.fault?.kind == .handshake)
      #expect(pair.server.output.last == 120, "the alert no_application_protocol")
      #expect(pair.server.applicationProtocol == nil)
    }
  }

  /// The first words of `openssl s_client`, which hears no answer.
  private static func hello(
    _ version: String, _ papers: Papers, _ offers: String? = nil, name: String = "localhost"
  ) throws -> [UInt8] {
    let ears = try ListeningSocket()
    var words = [
      "s_client", "-connect", "127.0.0.1:\(ears.port)", version, "-cipher", "ALL:@SECLEVEL=0", "-servername",
      name,
    ]
    if let offers { words += ["-alpn", offers] }
    let program = try RunningProgram("/usr/bin/env", ["openssl"] + words)
    let hello = try ears.accept().record()
    program.kill()
    return hello
  }
  #else
  @Test func `a program without TLS says so`() {
    #expect(TLSLibrary.fault?.kind == .absent)
    #expect(throws: TLSFault.self) { try TLSContext(client: TLSClientSettings()) }
  }
  #endif
}
