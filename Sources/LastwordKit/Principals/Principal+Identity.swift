import Identity
import JSONRPC

/// Checks a principal, and makes its options for the core.
extension Principal {
  func identity() throws(GatewayError) -> PrincipalOptions {
    guard PrincipalOptions.isName(name) else {
      throw wrong("has no name of \(PrincipalOptions.nameForm)")
    }
    guard PrincipalOptions.isName(namespace ?? name) else { throw wrong("has a namespace that is no name") }
    guard !tokens.isEmpty || !users.isEmpty else {
      throw wrong("could not be known by anything: it needs tokens or users")
    }
    var identity = PrincipalOptions(name: name)
    identity.namespace = namespace
    identity.tokens = try digests()
    identity.users = try knownUsers()
    identity.rules = try rules()
    return identity
  }

  /// A text that is no digest may be the token itself, and is not repeated in the error.
  private func digests() throws(GatewayError) -> [TokenDigest] {
    guard tokens.isEmpty || TokenDigest.isBuilt else {
      throw wrong("has tokens, and this build cannot check them: build with the package trait TLS")
    }
    guard tokens.count <= PrincipalOptions.mostTokens else {
      throw wrong("has more than \(PrincipalOptions.mostTokens) tokens")
    }
    var digests: [TokenDigest] = []
    for token in tokens {
      guard let digest = TokenDigest(kept: token) else {
        throw wrong("has a token that is not kept as \(TokenDigest.form)")
      }
      digests.append(digest)
    }
    return digests
  }

  private func knownUsers() throws(GatewayError) -> [UInt32] {
    guard users.count <= PrincipalOptions.mostUsers else {
      throw wrong("has more than \(PrincipalOptions.mostUsers) users")
    }
    // No user can have the last number: it is reserved.
    guard !users.contains(.max) else { throw wrong("has a user whose number is nobody's") }
    return users
  }

  private func rules() throws(GatewayError) -> Rules {
    var rules = Rules()
    if let methods {
      guard methods.count <= PrincipalOptions.mostMethods else {
        throw wrong("has more than \(PrincipalOptions.mostMethods) methods")
      }
      var allowed: [Rules.Method] = []
      for pattern in methods { allowed.append(try method(pattern)) }
      rules.methods = allowed
    }
    rules.policies = policies.map(\.storePolicy)
    rules.mayCancelByKey = mayCancelByKey
    rules.mayInspect = mayInspect
    rules.mayJoin = mayJoin
    return rules
  }

  private func method(_ pattern: String) throws(GatewayError) -> Rules.Method {
    if let fault = Registration.fault(of: pattern) { throw wrong("has a method that is none: \(fault)") }
    let isPrefix = pattern.utf8.last == UInt8(ascii: "*")
    return Rules.Method(
      isPrefix ? String(decoding: pattern.utf8.dropLast(), as: UTF8.self) : pattern, isPrefix: isPrefix)
  }

  fileprivate func wrong(_ fault: String) -> GatewayError {
    .invalidPrincipal("principal '\(name)' \(fault)")
  }
}

extension [Principal] {
  /// The options of all principals, or the error of the first that is wrong, or shares a name or credential.
  func identities() throws(GatewayError) -> [PrincipalOptions] {
    guard !isEmpty else { throw .invalidPrincipal("without any principal nobody could come") }
    guard count <= PrincipalOptions.mostPrincipals else {
      throw .invalidPrincipal("there are more than \(PrincipalOptions.mostPrincipals) principals")
    }
    var names: Set<String> = []
    var credentials: Set<Credential> = []
    var identities: [PrincipalOptions] = []
    for principal in self {
      let identity = try principal.identity()
      guard names.insert(principal.name).inserted else { throw principal.wrong("is there twice") }
      for credential in identity.tokens.map(Credential.token) + identity.users.map(Credential.user) {
        guard credentials.insert(credential).inserted else {
          throw principal.wrong("is known by a token or user that stands there twice")
        }
      }
      identities.append(identity)
    }
    return identities
  }
}
