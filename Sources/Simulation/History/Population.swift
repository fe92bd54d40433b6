import Identity
import Secrets
import TaskStore

/// The clients that a simulated gateway can have: users of its machine, and holders of tokens.
enum Population {
  /// The first two principals share keys. The last may do less than others; users and tokens behind it are unknown.
  static let principals = 3
  static let restricted = 2
  static let users = principals + 1
  static let tokens = principals + 1

  static let all: [PrincipalOptions] = (0..<principals).map { number in
    var options = PrincipalOptions(name: name(number))
    options.namespace = number == restricted ? nil : "shared"
    options.users = [UInt32(number)]
    options.subjects = [IssuedSubject(issuer: issuer.terms.name, subject: name(number))]
    options.tokens = TokenDigest(of: Array(token(number).utf8)).map { [$0] } ?? []
    if number == restricted { options.rules = rules }
    return options
  }

  // MARK: Tokens that end

  /// What the wall clock has before the other one, in milliseconds.
  static let unixOffsetMilliseconds = 1_800_000_000_000

  static let issuer: IssuerOptions = {
    var issuer = IssuerOptions(name: "issuer", issuer: "i", audiences: ["a"])
    let key = #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.text(of: point))"}]}"#
    if let keys = try? JSONWebKeySet(Array(key.utf8)) { issuer.keys = keys }
    issuer.leewayMilliseconds = 0
    return issuer
  }()

  /// A point of the curve: nobody signs here, for tokens are shown as if they had been checked.
  private static let point: [UInt8] = [0x58] + [UInt8](repeating: 0x66, count: 31)

  /// The credential of a client that connects, and when it ends; nil: never. Users beyond `users` show a token that
  /// ends; each of them is one of the principals.
  static func credential(_ user: Int, atMilliseconds now: Int, lasting milliseconds: Int) -> (
    Credential, endMilliseconds: Int?
  ) {
    guard user >= users else { return (.user(UInt32(user)), nil) }
    let end = (now + unixOffsetMilliseconds + milliseconds) / 1_000 + 1
    let claims = #"{"aud":"a","exp":\#(end),"sub":"\#(name(user - users))"}"#
    let identity = try? issuer.identity(
      ofClaims: Array(claims.utf8), signedBy: .ed25519(point),
      atUnixMilliseconds: Int64(now + unixOffsetMilliseconds))
    guard let identity else { return (.user(UInt32(principals)), nil) }
    return (.issued(identity), end * 1_000 - unixOffsetMilliseconds)
  }

  private static let rules: Rules = {
    var rules = Rules()
    rules.policies = restrictedPolicies
    rules.mayJoin = false
    rules.mayCancelByKey = false
    rules.mayInspect = false
    return rules
  }()

  static let restrictedPolicies: [DuplicatePolicy] = [.cancel, .wait, .preferPrevious]

  static func name(_ number: Int) -> String { "p\(number)" }
  static func token(_ number: Int) -> String { "token-\(number)" }
}
