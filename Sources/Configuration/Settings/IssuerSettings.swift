import Identity

/// An issuer whose signed tokens count at listeners that require authentication.
package struct IssuerSettings: RuleSettings {
  package static let most = 16

  package var name = PrincipalName(description: "login")
  package var issuer = ClaimText(description: "https://login.example.org")
  package var audiences = [ClaimText(description: "lastword")]
  package var keys = FilePath(description: "/etc/lastword/login.jwks")
  package var principalClaim = ClaimText(description: "sub")
  /// The claim that gives a principal's namespace; nil: each principal has its own.
  package var namespaceClaim: ClaimText?
  package var leewayMilliseconds = 60_000
  package var granted = RuleValues()

  package init() {}

  package static let blockName = "issuer"
  package static let mayRepeat = true
  package static let blockMeaning = [
    "One whose signed tokens (JWT) say who clients of listeners with auth = \"required\" are, and what those may do\n"
      + "whom no [[principal]] has among its subjects."
  ]
  package static let settings: [Setting<Self>] =
    [
      .text("name", \.name, "Its principals are called by it, a slash, and what it calls them.").required(),
      .text("issuer", \.issuer, "What its tokens have as iss.").required(),
      .oneOrMore(
        "audience", \.audiences, most: ClaimText.most, sample: ["lastword"],
        "What they have as aud, if they are for this gateway."
      ).required(),
      .text(
        "keys", \.keys,
        "A file with its public keys (JWKS), for EdDSA with Ed25519, ES256 or RS256. A reload reads it anew."
      ).required(),
      .text("principalClaim", \.principalClaim, "The claim that says whom a token is for."),
      .text(
        "namespaceClaim", \.namespaceClaim, sample: "org",
        "The claim whose value those have in common who share keys; by default each shares them with nobody."),
      .integer(
        "leewayMs", \.leewayMilliseconds, 0...SettingLimit.milliseconds, .milliseconds,
        "So long a token counts after its end, and before it begins, as clocks differ."),
    ] + ruleSettings("they", "their")

  /// The core's options, without the keys.
  /// - Parameter usual: the quotas of principals that have none of their own.
  func options(_ usual: Quotas) -> IssuerOptions {
    var options = IssuerOptions(
      name: name.description, issuer: issuer.description, audiences: audiences.map(\.description))
    options.terms.principalClaim = principalClaim.description
    options.terms.namespaceClaim = namespaceClaim?.description
    options.leewayMilliseconds = leewayMilliseconds
    options.rules = granted.rules
    options.quotas = granted.quotas.quotas(usual)
    return options
  }
}
