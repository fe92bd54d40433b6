import Testing

@testable import Configuration

/// What can be said of TLS, and what of it makes no sense.
@Suite struct TLSSettingsTests {
  private static let listener = "[[listen]]\naddress = '[::1]:1'\n"
  private static let upstream = "[[upstream]]\nname = 'a'\naddress = 'tls:search.example:1'\n"

  @Test(
    .enabled(if: FileConfiguration.hasTLS),
    arguments: [
      "tls = { certificate = 'a.pem', key = 'a.key', clientCA = 'ca.pem' }",
      "tls.certificate = 'a.pem'\ntls.key = ['a.key']\ntls.clientCA = 'ca.pem'",
      "[listen.tls]\ncertificate = ['a.pem']\nkey = 'a.key'\nclientCA = 'ca.pem'",
    ])
  func `all ways of writing a table mean the same`(text: String) throws {
    let listener = try configuration(Self.listener + text).listeners[0]
    #expect(listener.certificates.map(\.description) == ["a.pem"])
    #expect(listener.keys.map(\.description) == ["a.key"])
    #expect(listener.clientCA?.description == "ca.pem")
    #expect(listener.requiresClientCertificate == nil && listener.minimumVersion == nil)
    #expect(listener.hasTLS)
  }

  @Test(.enabled(if: FileConfiguration.hasTLS))
  func `several certificates have as many keys`() throws {
    let listener = try configuration(
      Self.listener + "tls = { certificate = ['a', 'b'], key = ['c', 'd'], minimumVersion = '1.3' }"
    ).listeners[0]
    #expect(listener.certificates.count == 2)
    #expect(listener.minimumVersion == .v1_3)
    #expect(
      complaints(Self.listener + "tls = { certificate = ['a', 'b'], key = 'c' }") == [
        "lw.toml:3:41: error: 'tls.certificate' and 'tls.key' must name as many files: here 2 and 1"
      ])
    #expect(complaints(Self.listener + "tls.key = 'c'").count == 1)
  }

  @Test(.enabled(if: FileConfiguration.hasTLS))
  func `a client's certificate can be demanded only where somebody vouches for it`() {
    #expect(
      complaints(
        Self.listener + "tls = { certificate = 'a', key = 'b', requireClientCertificate = true }"
      ).map { $0.contains("needs 'tls.clientCA'") } == [true])
  }

  @Test func `what stands without a certificate says nothing`() {
    for text in ["clientCA = 'a'", "requireClientCertificate = false", "minimumVersion = '1.2'"] {
      let name = text.prefix { $0 != " " }
      #expect(
        complaints(Self.listener + "tls.\(text)")
          == [
            "lw.toml:3:\(text.count - text.drop { $0 != "=" }.count + 7): error: 'tls.\(name)' says nothing without 'tls.certificate'"
          ])
    }
  }

  @Test func `what is no table, or not in it, is told with its place`() {
    #expect(
      complaints(Self.listener + "tls = 'a'") == ["lw.toml:3:7: error: 'tls' must be a table, not a string"])
    #expect(
      complaints(Self.listener + "tls.certificat = 'a'")
        == ["lw.toml:3:5: error: unknown key 'tls.certificat' in [[listen]]; did you mean 'tls.certificate'?"]
    )
    #expect(complaints(Self.listener + "\"tls.key\" = 'a'").map { $0.contains("unknown key") } == [true])
    #expect(complaints(Self.listener + "tls.key.a = 'a'").count == 1)
    #expect(complaints(Self.listener + "tls.minimumVersion = '1.1'").count == 1)
  }

  @Test(.enabled(if: FileConfiguration.hasTLS))
  func `an upstream's TLS goes with its address`() throws {
    let upstream = try configuration(
      Self.upstream + "tls = { ca = 'ca.pem', certificate = 'a', key = 'b', serverName = 'Other.example' }"
    ).upstreams[0]
    #expect(upstream.kind == .tls)
    #expect(upstream.endpoints.map(\.description) == ["tls:search.example:1"])
    #expect(upstream.tlsServerName?.description == "other.example")
    #expect(
      complaints(Self.upstream + "tls.key = 'b'").map { $0.contains("without 'tls.certificate'") } == [true])
    let plain = "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\n"
    #expect(
      complaints(plain + "tls.ca = 'b'").map { $0.contains("says nothing without a tls: address") } == [true])
    #expect(complaints("[[upstream]]\nname = 'a'\naddress = 'tls:unix:a'").count == 1)
    #expect(complaints("[[upstream]]\nname = 'a'\naddresses = ['tls:a:1', 'tcp:b:1']").count == 1)
  }

  @Test(.enabled(if: FileConfiguration.hasTLS))
  func `which certificates there are may change, but not whether there are any`() throws {
    let started = try configuration(Self.listener + "tls = { certificate = 'a', key = 'b' }")
    let other = try configuration(Self.listener + "tls = { certificate = 'c', key = 'd', clientCA = 'e' }")
    #expect(other.lastingChanges(since: started).isEmpty)
    let none = try configuration(Self.listener)
    #expect(
      none.lastingChanges(since: started).map(\.message)
        == ["whether a listener has TLS changes with a restart only"])
    #expect(started.lastingChanges(since: none).count == 1)
  }

  @Test(.enabled(if: !FileConfiguration.hasTLS))
  func `a build without TLS says so`() {
    #expect(
      complaints(Self.listener + "tls = { certificate = 'a', key = 'b' }").map { $0.contains("--traits TLS") }
        == [true])
    #expect(complaints(Self.upstream).map { $0.contains("--traits TLS") } == [true])
  }
}
