import Fleet
import GatewayCore
import Secrets

/// How two members know each other: each answers what the other has made up, with a code that only who has the secret can
/// make (HMAC, RFC 2104). Where there is no secret, TLS has told already who is a member.
struct PeerGreeting {
  static let nonceBytes = 32

  let secret: [UInt8]
  let fleet: String

  /// What the asking one says of itself.
  struct Hello {
    let from: MemberID
    /// Which of its loops.
    let loop: UInt16
    /// Whom it means.
    let to: MemberID
    /// Members with other routes or upstreams answer differently.
    let digest: UInt64
    let nonce: [UInt8]
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

  /// Nil: it is of another fleet, or version, or does not know the secret.
  func read(_ bytes: [UInt8], answering nonce: [UInt8]) -> Hello? {
    var wire = WireReader(bytes)
    guard wire.read(UInt16.self) == PeerConnection.version, wire.string() == fleet,
      let from = wire.string().flatMap(MemberID.init(text:)), let loop: UInt16 = wire.read(),
      let to = wire.string().flatMap(MemberID.init(text:)), let digest: UInt64 = wire.read(),
      let own = wire.text(), own.count == Self.nonceBytes, let proof = wire.text()
    else { return nil }
    let hello = Hello(from: from, loop: loop, to: to, digest: digest, nonce: own)
    return isEqualInConstantTime(proof, self.proof(of: hello, answering: nonce, "asking")) ? hello : nil
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
