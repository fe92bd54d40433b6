import TLS

/// The certificate of a simulation, which vouches for itself, and the settings made from it.
///
/// Its key is here for everybody to read: nobody but a simulation trusts it. A signature by it always has the same
/// length, and so have the handshakes.
struct SimulatedPapers {
  static let name = "simulated.example"

  let server: TLSContext
  let client: TLSContext

  /// Nil in a program, or on a machine, that has no TLS: then no client of any seed comes under it.
  nonisolated(unsafe) static let all: SimulatedPapers? = try? SimulatedPapers()

  static var areThere: Bool { unsafe all != nil }

  private init() throws(TLSFault) {
    server = try TLSContext(server: TLSServerSettings([TLSIdentity(chain: Self.certificate, key: Self.key)]))
    var settings = TLSClientSettings()
    settings.ca = Self.certificate
    client = try TLSContext(client: settings)
  }

  private static let key = Array(
    """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEII5V3lo6I3ueBOI0DPnLMYkBGRS5N7kjkReTZKw+xZF0
    -----END PRIVATE KEY-----

    """.utf8)

  /// From 2020 to the year 9999.
  private static let certificate = Array(
    """
    -----BEGIN CERTIFICATE-----
    MIIBODCB66ADAgECAgEBMAUGAytlcDAcMRowGAYDVQQDDBFzaW11bGF0ZWQuZXhh
    bXBsZTAgFw0yMDAxMDEwMDAwMDBaGA85OTk5MTIzMTIzNTk1OVowHDEaMBgGA1UE
    AwwRc2ltdWxhdGVkLmV4YW1wbGUwKjAFBgMrZXADIQAlGm/pwf6gIg502OpyX2Rb
    IdqehJpGbcCJcVdSrD6yEKNQME4wHAYDVR0RBBUwE4IRc2ltdWxhdGVkLmV4YW1w
    bGUwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUWpZFDYHhu0lyIaBWzT6JK0yx
    U0YwBQYDK2VwA0EA0BcfLaVcr34jzYsOA/YU6oUmBNkLkcKo2P9oAQrGMQisR3lu
    Kqto3/0buuqIz1MXo3ZF34tcRkBr1JGLT9AeDw==
    -----END CERTIFICATE-----

    """.utf8)
}
