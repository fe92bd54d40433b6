package import Identity

/// A principal: a client that may use listeners that require authentication.
package struct PrincipalSettings: RuleSettings {
  package static let most = PrincipalOptions.mostPrincipals

  package var name = PrincipalName(description: "editor")
  /// The namespace; nil: the principal's own name.
  package var namespace: PrincipalName?
  package var tokens: [TokenDigest] = []
  package var users: [UserID] = []
  package var certificates: [CertificateName] = []
  package var subjects: [IssuedSubject] = []
  package var granted = RuleValues()

  package init() {}

  package static let blockName = "principal"
  package static let mayRepeat = true
  package static let blockMeaning = [
    "One who may come to listeners with auth = \"required\", and what that one may do."
  ]
  package static let settings: [Setting<Self>] =
    [
      .text("name", \.name, "Logs, metrics and pages call it so.").required(),
      .text(
        "namespace", \.namespace, sample: "team-a",
        "Principals of one namespace share keys; by default each has its own, called as itself."),
      .texts(
        "tokens", \.tokens, most: TokenDigest.most,
        sample: ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        "What its tokens are known by; lastword token makes a token and prints this of it."),
      .texts(
        "users", \.users, most: UserID.most, sample: ["1000"],
        "Numbers of users of this machine who are it when they connect to a Unix socket."),
      .texts(
        "certificates", \.certificates, most: CertificateName.most,
        sample: ["uri:spiffe://example.org/editor"],
        "What its certificates say, where a listener verifies them (tls.clientCA); the first that is known counts."
      ),
      .texts(
        "subjects", \.subjects, most: IssuedSubject.most, sample: ["login:ada@example.org"],
        "Who it is to an [[issuer]] of signed tokens, by whose name each begins."),
    ] + ruleSettings("it", "its")

  /// - Parameter usual: the quotas that count where the principal has none of its own.
  func options(_ usual: Quotas) -> PrincipalOptions {
    var options = PrincipalOptions(name: name.description)
    options.namespace = namespace?.description
    options.tokens = tokens
    options.certificates = certificates
    options.users = users.map(\.number)
    options.subjects = subjects
    options.rules = granted.rules
    options.quotas = granted.quotas.quotas(usual)
    return options
  }
}
