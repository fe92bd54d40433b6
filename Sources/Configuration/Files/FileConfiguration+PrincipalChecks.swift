import Addresses
import Identity
import TOML

/// Complaints about principals with the same credential, and about listeners that nobody could use.
extension FileConfiguration {
  var principalComplaints: [Complaint] {
    duplicates(of: "name", in: principals) { $0.values.name }
      + repeated("tokens", \.tokens, "token")
      + repeated("users", \.users, "user")
      + repeated("certificates", \.certificates, "certificate")
      + repeated("subjects", \.subjects, "subject")
      + principals.compactMap(unknowable) + principals.flatMap(strangers) + listeners.compactMap(lonely)
      + duplicates(of: "name", in: issuers) { $0.values.name }
      + duplicates(of: "issuer", in: issuers) { $0.values.issuer } + issuers.compactMap(uncheckable)
  }

  /// Complaints about names and credentials that two principals have.
  private func repeated<Item: SettingText>(
    _ name: String, _ items: KeyPath<PrincipalSettings, [Item]>, _ what: String
  ) -> [Complaint] {
    repetitions(of: name, in: principals, { $0.values[keyPath: items] }) { _, item in
      "has the \(what) \(item.settingText)"
    }
  }

  private func unknowable(_ principal: Section<PrincipalSettings>) -> Complaint? {
    let values = principal.values
    guard principal.isSound("tokens", "users", "certificates", "subjects"), values.tokens.isEmpty,
      values.users.isEmpty, values.certificates.isEmpty, values.subjects.isEmpty
    else { return nil }
    return Complaint(
      principal.origin,
      "[[principal]] needs 'tokens', 'users', 'certificates' or 'subjects': it could not be known by anything (lastword token makes a token)"
    )
  }

  /// Complaints about subjects whose issuer does not exist.
  private func strangers(_ principal: Section<PrincipalSettings>) -> [Complaint] {
    let names = Set(issuers.map(\.values.name.description))
    guard issuers.allSatisfy({ $0.isSound("name") }) else { return [] }
    return principal.values.subjects.filter { !names.contains($0.issuer) }.map {
      Complaint(
        principal.origin(of: "subjects"),
        "'subjects' has \($0.settingText), and no [[issuer]] is called \($0.issuer)")
    }
  }

  private func uncheckable(_ issuer: Section<IssuerSettings>) -> Complaint? {
    guard !TokenDigest.isBuilt else { return nil }
    return Complaint(
      issuer.origin, "[[issuer]] must not be given: this build cannot check tokens (build with --traits TLS)")
  }

  private func lonely(_ listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.authentication == .required, principals.isEmpty, issuers.isEmpty else { return nil }
    return Complaint(
      listener.origin(of: "auth"),
      "'auth' must not be \"required\" without any [[principal]] or [[issuer]]: nobody could come")
  }

  // MARK: Warnings

  private var asking: [Section<ListenerSettings>] { listeners.filter { $0.authentication == .required } }

  /// Warnings about principals when no listener requires authentication.
  var idlePrincipals: [Complaint] {
    guard asking.isEmpty, let origin = principals.first?.origin ?? issuers.first?.origin else { return [] }
    return [
      Complaint(
        warningAt: origin,
        "no [[listen]] has auth = \"required\": clients need not log in, and no [[principal]] or [[issuer]] counts"
      )
    ]
  }

  /// Warnings about principals whose credentials no listener accepts.
  var unreachablePrincipals: [Complaint] {
    guard !asking.isEmpty else { return [] }
    let hasSockets = asking.contains { $0.address.host == nil }
    let asksForCertificates = asking.contains { $0.clientCA != nil }
    return principals.filter { principal in
      let values = principal.values
      return values.tokens.isEmpty && values.subjects.isEmpty && (values.users.isEmpty || !hasSockets)
        && (values.certificates.isEmpty || !asksForCertificates)
    }.map { principal in
      let ways = [
        principal.values.users.isEmpty ? nil : "'users' need a unix: address",
        principal.values.certificates.isEmpty ? nil : "'certificates' need 'tls.clientCA'",
      ].compactMap { $0 }.joined(separator: ", ")
      return Complaint(
        warningAt: principal.origin,
        "nobody can be \(Quoted.text(principal.values.name.description)): \(ways), and no [[listen]] with "
          + "auth = \"required\" has that")
    }
  }
}
