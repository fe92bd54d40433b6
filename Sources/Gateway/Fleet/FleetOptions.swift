package import Addresses
package import Fleet
import Secrets
package import Upstreams

/// What makes a gateway a member of a fleet.
package struct FleetOptions: Sendable {
  /// Members of one fleet have the same name.
  package var name: String
  /// Of etcd, one or several of one cluster: the first that answers is asked.
  package var engine: [HTTPEndpoint]
  /// A user of etcd's; nil: it asks nobody.
  package var user: String?
  package var password: String?
  /// Where other members' connections come.
  package var listen: SocketAddress
  /// Where they find that; nil: as it listens.
  package var advertise: SocketAddress?
  /// The same secret for all members; empty: certificates alone tell who is a member.
  package var secret: [UInt8]
  /// Nil: what members say to each other is not encrypted.
  package var tls: FleetTLS?
  package var timings = FleetTimings()

  /// All fleets have as many partitions.
  package static let partitions = 256

  package init(name: String, engine: [HTTPEndpoint], listen: SocketAddress, secret: [UInt8]) {
    self.name = name
    self.engine = engine
    self.listen = listen
    self.secret = secret
  }

  /// The same at all members: it places keys in partitions, and partitions at members.
  var seed: UInt64 {
    let digest = Digest.sha256(Array("lastword fleet \(name)".utf8)) ?? Array(name.utf8)
    return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
