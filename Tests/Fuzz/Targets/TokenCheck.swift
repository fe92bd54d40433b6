import Identity
import JSONRPC
import Secrets

/// What must hold of a text that somebody sends as a signed token, or that an operator has as a file of keys.
///
/// Nobody here can sign: so the first two lines are also tried as a token's header and claims, and the second one as
/// claims that were signed.
struct TokenCheck {
  private static let now: Int64 = 1_800_000_000_000
  private let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  func run() throws(Violation) {
    try checkBase64()
    try checkKeys()
    let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
    try refuse(input)
    guard lines.count >= 2 else { return }
    let signature = lines.count > 2 ? lines[2] : []
    try refuse(Array([lines[0], lines[1], signature].map(Base64URL.text).joined(separator: ".").utf8))
    try checkClaims(lines[1])
  }

  /// There is one text for some bytes.
  private func checkBase64() throws(Violation) {
    if let bytes = Base64URL.bytes(of: input[...]) {
      try require(Array(Base64URL.text(of: bytes).utf8) == input, "two texts stand for the same bytes")
    }
    let text = Array(Base64URL.text(of: input).utf8)
    try require(Base64URL.bytes(of: text[...]) == input, "bytes do not come back")
  }

  private func checkKeys() throws(Violation) {
    do throws(KeySetFault) {
      _ = try JSONWebKeySet(input)
    } catch {
      let isLine = error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }
      try require(isLine && !error.description.isEmpty, "a fault is not one line")
    }
  }

  // MARK: Tokens

  private func refuse(_ token: [UInt8]) throws(Violation) {
    let identity = try? Self.directory.identity(of: token, atUnixMilliseconds: Self.now)
    try require(identity == nil, "a token counts that nobody has signed")
  }

  private func checkClaims(_ claims: [UInt8]) throws(Violation) {
    let issuer = Self.issuer
    guard
      let identity = try? issuer.identity(
        ofClaims: claims, signedBy: Self.key, atUnixMilliseconds: Self.now)
    else { return }
    let isVisible = identity.subject.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    try require(isVisible && (1...255).contains(identity.subject.utf8.count), "a name that nobody may have")
    try require(identity.endSeconds * 1_000 + 60_000 > Self.now, "it has ended")
    try require(!identity.subject.isEmpty && identity.name.hasPrefix("login/"), "it is not its issuer's")
    var check = JSONCheck(nestingLevels: 16)
    check.read(claims.span, upTo: claims.count)
    try require(check.verdict(in: claims.span) == .json, "claims count that are no JSON")
  }

  /// A point of the curve, as which no input signs by chance.
  private static let key = PublicKey.ed25519([0x58] + [UInt8](repeating: 0x66, count: 31))

  private static let issuer: IssuerOptions = {
    var issuer = IssuerOptions(name: "login", issuer: "i", audiences: ["a"])
    guard case .ed25519(let bytes) = key else { return issuer }
    let text = #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"\#(Base64URL.text(of: bytes))"}]}"#
    if let keys = try? JSONWebKeySet(Array(text.utf8)) { issuer.keys = keys }
    return issuer
  }()

  private static let directory = PrincipalDirectory(issuers: [issuer])
}
