package import Addresses
package import GatewayCore

/// The settings of a fleet's member.
package struct FleetSettings: SettingValues {
  /// The name of the fleet; nil: the gateway is in no fleet.
  package var name: FleetName?
  package var engine: [EngineAddress] = []
  package var engineCA: FilePath?
  package var engineCertificate: FilePath?
  package var engineKey: FilePath?
  package var user: FleetName?
  package var passwordFile: FilePath?
  package var listen: SocketAddress?
  package var advertise: SocketAddress?
  package var secretFile: FilePath?
  package var tlsCertificate: FilePath?
  package var tlsKey: FilePath?
  package var tlsCA: FilePath?
  package var tlsServerName: HostName?
  package var fleet = GatewayConfiguration.Fleet()
  private var takeover: Int?

  package var hasTLS: Bool { tlsCertificate != nil }

  package init() {}

  package static let mostEngines = 16

  package static let blockName = "fleet"
  package static let blockMeaning = [
    "Several gateways that decide over one set of keys, each key at one of them at a time, whichever a client is",
    "connected to. They need etcd, which keeps who has what. Without a name the gateway is by itself.",
  ]
  package static let settings: [Setting<Self>] = [
    .text(
      "name", \.name, sample: "search",
      "What the fleet is called, the same at all members; their records in etcd are below /lastword/NAME/."
    ).lasting(),
    .oneOrMore(
      "engine", \.engine, most: mostEngines, sample: ["etcd:https://127.0.0.1:2379"],
      "Where etcd is; of several members of one etcd the next is asked when one does not answer."
    ).lasting(),
    .text(
      "engineCaFile", \.engineCA, sample: "/etc/lastword/etcd-ca.pem",
      "A PEM file: who vouches for an etcd at https:, instead of those that the system trusts."
    ).lasting(),
    .text(
      "engineCertificate", \.engineCertificate, sample: "/etc/lastword/etcd-client.pem",
      "A PEM file: the certificate that an etcd at https: is shown, where it asks for one (--client-cert-auth)."
    ).lasting(),
    .text(
      "engineKey", \.engineKey, sample: "/etc/lastword/etcd-client.key",
      "A PEM file with its key, not encrypted."
    ).lasting(),
    .text("user", \.user, sample: "lastword", "Who the gateway is for etcd, where that asks.").lasting(),
    .text(
      "passwordFile", \.passwordFile, sample: "/etc/lastword/etcd.password",
      "That user's password, in a file whose last line break does not count."
    ).lasting(),
    .text(
      "listen", \.listen, sample: "10.0.0.1:5280", "Where other members connect: never the clients' address."
    )
    .lasting(),
    .text(
      "advertise", \.advertise, sample: "gateway-1.internal:5280",
      "How they find that, if not by the address where it listens; needed where that is 0.0.0.0 or [::]."
    ).lasting(),
    .text(
      "secretFile", \.secretFile, sample: "/etc/lastword/fleet.secret",
      """
      What all members know and nobody else, 32 bytes at least, in a file whose last line break does not count;
      needed where they have no certificates. Without those what they say is not encrypted: connect them over a
      network of their own.
      """
    ).lasting(),
    .text(
      "tls.certificate", \.tlsCertificate, sample: "/etc/lastword/member.pem",
      """
      A PEM file: what this member shows to the others, as their server and as their client, and behind it those
      that lead to its authority. Members speak TLS 1.3 then, all of them. A reload reads it anew.
      """
    ),
    .text(
      "tls.key", \.tlsKey, sample: "/etc/lastword/member.key", "A PEM file with its key, not encrypted."),
    .text(
      "tls.ca", \.tlsCA, sample: "/etc/lastword/fleet-ca.pem",
      "A PEM file: who vouches for members. Whoever has a certificate of it may be one, if there is no secret."
    ),
    .text(
      "tls.serverName", \.tlsServerName, sample: "fleet.internal",
      "The name that the certificates of all members are for; the host of a member's address, if not given."
    ).lasting(),
    .integer(
      "parkedBytes", \.fleet.parkedBytes, 4_096...SettingLimit.bytes, .bytes,
      "What waits until its key's member is known and can be reached, of all loops; more is refused."),
    .integer(
      "takeoverMs", \.takeover, 0...SettingLimit.milliseconds, .milliseconds, sample: 65_000,
      """
      How long after a member has died nothing starts for its keys that must be alone (wait, cancelAndWait,
      keepLatest, preferPrevious, compensated routes); if left out: as long as a request may take, and then drain.
      """
    ),
    .integer(
      "handoverMs", \.handover, 0...SettingLimit.milliseconds, .milliseconds,
      "How long what still runs is given when a key's member changes."),
  ]

  private var handover: Int {
    get { Int(fleet.handoverMilliseconds) }
    set { fleet.handoverMilliseconds = UInt64(newValue) }
  }

  /// The core's options for a fleet.
  var core: GatewayConfiguration.Fleet {
    var core = fleet
    core.takeoverMilliseconds = takeover.map { UInt64($0) }
    return core
  }
}
