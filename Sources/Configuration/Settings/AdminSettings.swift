package import Addresses
package import Identity

/// The address of the admin pages, who may read them, and their bounds.
package struct AdminSettings: SettingValues {
  /// The address of the pages; nil: there are none.
  package var address: SocketAddress?
  package var audience = Audience.loopback
  /// The digest of the token that requests need; nil: they need none.
  package var token: TokenDigest?
  package var hosts: [HostName] = []
  package var connections = 64
  package var streams = 16
  package var streamBytes = 256 * 1024

  package init() {}

  package static let blockName = "admin"
  package static let blockMeaning = [
    "Pages by which the gateway is watched, over HTTP: whether it is ready, its configuration, what it does.",
    "Whoever reaches them sees what clients ask for. Without an address there are none.",
  ]
  package static let settings: [Setting<Self>] = [
    .text(
      "address", \.address, sample: "127.0.0.1:5279", "Where they are; port 0 lets the system choose one."
    ).lasting(),
    .choice(
      "audience", \.audience,
      "Who may reach the address: programs on this machine, or, said in so many words, the network."
    ).lasting(),
    .text(
      "token", \.token, sample: "sha256:a0736f093ea979755044b79f76ecce1a75250c4abd99b152a509d04545e4bef6",
      "Of a token that whoever asks must have (Authorization: Bearer) its SHA-256; /livez and /readyz need none."
    ),
    .texts(
      "hosts", \.hosts, most: HostName.most, sample: ["gateway.example"],
      "Names, besides localhost, that browsers may ask for the pages by; an IP address always may."),
    .integer(
      "connections", \.connections, 1...1_000, .none,
      "Connections at once; more are told to come again."),
    .integer("streams", \.streams, 1...1_000, .none, "How many of them can follow events as they happen."),
    .integer(
      "streamBytes", \.streamBytes, 4_096...SettingLimit.bytes, .bytes,
      "While one who follows leaves more than this unread, events are left out."),
  ]
}
