package import Addresses

/// An address that clients connect to.
package struct ListenerSettings: SettingValues {
  package static let most = 64

  package var address = SocketAddress.tcp(host: "127.0.0.1", port: 5278)
  package var audience = Audience.loopback
  /// The permissions of a Unix socket's file; nil: only its owner may connect.
  package var mode: SocketMode?
  package var scope = KeyScope.shared
  package var authentication = Authentication.none
  /// Nil: `reply` on lines and behind Content-Length, `cancel` by HTTP.
  package var endOfInput: EndOfInput?
  package var keepAliveMilliseconds = 60_000
  package var errorProfile = ErrorProfile.standard
  package var protocols = ClientProtocol.allCases
  package var origins: [PageOrigin] = []
  package var hosts: [HostName] = []
  /// The path for the Model Context Protocol; nil: it is not served.
  package var mcpPath: HTTPPath?
  /// Certificates, and as many keys; none: the listener has no TLS.
  package var certificates: [FilePath] = []
  package var keys: [FilePath] = []
  package var clientCA: FilePath?
  package var requiresClientCertificate: Bool?
  package var minimumVersion: MinimumTLSVersion?

  static let mostCertificates = 64
  package var hasTLS: Bool { !certificates.isEmpty || !keys.isEmpty }

  package init() {}

  /// Whether browsers can connect, by HTTP or WebSocket.
  package var servesBrowsers: Bool { protocols.contains(.http) || protocols.contains(.webSocket) }

  /// Whether it serves every client that reaches it, as none has to authenticate.
  package var asksNobody: Bool { authentication == .none && requiresClientCertificate != true }

  package static let blockName = "listen"
  package static let mayRepeat = true
  package static let blockMeaning = [
    "An address that clients connect to; one such block for each.",
    "Where none is named, here or otherwise, \(HostAndPort.hostName) and \(HostAndPort.portName) of the environment "
      + "name it if both are set.",
  ]
  private static let modeSetting = Setting<Self>.text(
    "mode", \.mode, sample: "0660",
    "Who may connect to a Unix socket, as chmod has it; if nothing is said 0600, its owner alone."
  ).lasting()
  package static let variants: [BlockVariant<Self>] = [
    BlockVariant(
      meaning: "A Unix socket.", given: [("address", .text("unix:/run/lastword/lastword.sock"))],
      settings: [modeSetting]),
    BlockVariant(
      meaning: "One whose clients come under TLS.", given: [("address", .text("0.0.0.0:5281"))],
      settings: tlsSettings),
  ]
  static let tlsSettings: [Setting<Self>] = [
    .oneOrMore(
      "tls.certificate", \.certificates, most: mostCertificates, sample: ["/etc/lastword/server.pem"],
      "A PEM file: the certificate, and behind it those that lead to its authority. Of several, clients get the\n"
        + "first one for the name that they ask for, or else the first. A reload reads them anew."),
    .oneOrMore(
      "tls.key", \.keys, most: mostCertificates, sample: ["/etc/lastword/server.key"],
      "A PEM file with its key, not encrypted; as many as certificates, in their order."),
    .text(
      "tls.clientCA", \.clientCA, sample: "/etc/lastword/clients.pem",
      "A PEM file: who vouches for clients, which are then asked for a certificate."),
    .boolean(
      "tls.requireClientCertificate", \.requiresClientCertificate, sample: true,
      "Whether a client without one is refused; if nothing is said, it is served."),
    .choice(
      "tls.minimumVersion", \.minimumVersion, sample: .v1_2,
      "The oldest version that is spoken; 1.2, if nothing is said."),
  ]
  package static let settings: [Setting<Self>] =
    [
      .text("address", \.address, "Where to listen; port 0 lets the system choose one.").required().lasting(),
      .choice(
        "audience", \.audience,
        "Who may reach the address: programs on this machine, or, said in so many words, the network."
      ).lasting(),
      modeSetting,
      .choice(
        "scope", \.scope,
        "Who shares keys, unless a request says otherwise: all clients, or each connection has its own."),
      .choice(
        "auth", \.authentication,
        "Whether clients must be somebody: a [[principal]], or whom an [[issuer]] knows, by its token."
      ),
      .choice(
        "eof", \.endOfInput, sample: .reply,
        "What a client that sends no more wants: the replies to what it has asked, or nothing. If nothing is\n"
          + "said, the replies, but nothing by HTTP. A WebSocket's client wants nothing then, whatever is said."
      ),
      .integer(
        "keepAliveMs", \.keepAliveMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
        "After so long without a word, rounded up to whole seconds, a TCP client is asked if it is still there;\n"
          + "0: never."
      ).lasting(),
      .choice(
        "errorProfile", \.errorProfile,
        "How a superseded caller hears of it: with -32080, or with -32801, which editors do not show."),
      .choices(
        "protocols", \.protocols,
        "What clients may speak there: messages on lines or behind Content-Length, HTTP POST, WebSocket."),
      .texts(
        "origins", \.origins, most: PageOrigin.most, sample: ["https://app.example.com"],
        "Whose pages in browsers may come by HTTP and WebSocket, exact in scheme, host and port; if nothing is\n"
          + "said, nobody's. * is every page's: only where all clients show a token."),
      .texts(
        "hosts", \.hosts, most: HostName.most, sample: ["gateway.example"],
        "Names, besides localhost, by which HTTP and WebSocket may ask for it; by an IP address they always may."
      ),
      .text(
        "mcpPath", \.mcpPath, sample: "/mcp",
        "Where the Model Context Protocol is spoken over HTTP, in sessions; nowhere, if nothing is said. Of several\n"
          + "loops the first serves all of this listener."
      ).lasting(),
    ] + tlsSettings
}
