import Fleet
import GatewayCore
import Secrets

/// How two members authenticate: each answers the other's nonce with a code that needs the secret (HMAC, RFC 2104).
/// Without a secret, TLS has already authenticated both.
struct PeerGreeting {
  static let nonceBytes = 32

  let secret: [UInt8]
  let fleet: String

  /// What the asking one says of itself.
  struct Hello {
    let from: MemberID
    /// Which of its loops.
    let loop: UInt16
    /// The member that it is meant for.
    let to: MemberID
    /// Members with other routes or upstreams answer differently.
    let digest: UInt64
    let nonce: [UInt8]
  }

  /// Why a greeting is not believed.
  enum Fault: Error, CustomStringConvertible {
    case otherVersion, otherFleet, unreadable, otherSecret, otherMember

    var description: String {
      switch self {
      case .otherVersion: "it speaks another version"
      case .otherFleet: "it is of a fleet of another name"
      case .unreadable: "it says what no member says"
      case .otherSecret: "it does not know this fleet's secret"
      case .otherMember: "it means a member that is not this one, or is no more"
      }
    }
  }

  func write(_ hello: Hello, answering nonce: [UInt8], into wire: inout WireWriter) {
    wire.write(PeerConnection.version)
    writeSaid(hello, into: &wire)
    wire.write(proof(of: hello, answering: nonce, "asking"))
  }

  private func writeSaid(_ hello: Hello, into wire: inout WireWriter) {
    wire.write(fleet)
    wire.write(hello.from.text)
    wire.write(hello.loop)
    wire.write(hello.to.text)
    wire.write(hello.digest)
    wire.write(hello.nonce)
  }

  /// Reads a greeting, or throws why it is not from a member of this fleet that knows its secret.
  func read(_ bytes: [UInt8], answering nonce: [UInt8]) throws(Fault) -> Hello {
    var wire = WireReader(bytes)
    guard wire.read(UInt16.self) == PeerConnection.version else { throw .otherVersion }
    guard wire.string() == fleet else { throw .otherFleet }
    guard let from = wire.string().flatMap(MemberID.init(text:)), let loop: UInt16 = wire.read(),
      let to = wire.string().flatMap(MemberID.init(text:)), let digest: UInt64 = wire.read(),
      let own = wire.text(), own.count == Self.nonceBytes, let proof = wire.text()
    else { throw .unreadable }
    let hello = Hello(from: from, loop: loop, to: to, digest: digest, nonce: own)
    guard isEqualInConstantTime(proof, self.proof(of: hello, answering: nonce, "asking")) else {
      throw .otherSecret
    }
    return hello
  }

  /// What the owner answers, and the asking one expects.
  func welcome(to hello: Hello, answering nonce: [UInt8]) -> [UInt8] {
    proof(of: hello, answering: nonce, "owning")
  }

  /// Empty, which is no code, where none can be made.
  private func proof(of hello: Hello, answering nonce: [UInt8], _ side: String) -> [UInt8] {
    var wire = WireWriter()
    wire.write(side)
    writeSaid(hello, into: &wire)
    wire.write(nonce)
    let key = secret.isEmpty ? Array(fleet.utf8) : secret
    return Digest.hmac(wire.bytes, key: key) ?? RandomBytes.make(Digest.count) ?? []
  }
}
