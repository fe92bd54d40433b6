import Identity

/// Where it is not clear who is who, or nobody could be anybody.
extension FileConfiguration {
  var principalComplaints: [Complaint] {
    duplicates(of: "name", in: principals) { $0.values.name }
      + repeated("tokens", \.tokens, "token")
      + repeated("users", \.users, "user")
      + repeated("certificates", \.certificates, "certificate")
      + principals.compactMap(unknowable) + listeners.compactMap(lonely)
  }

  /// What two principals would be known by.
  private func repeated<Item: SettingText>(
    _ name: String, _ items: KeyPath<PrincipalSettings, [Item]>, _ what: String
  ) -> [Complaint] {
    repetitions(of: name, in: principals, { $0.values[keyPath: items] }) { _, item in
      "has the \(what) \(item.settingText)"
    }
  }

  private func unknowable(_ principal: Section<PrincipalSettings>) -> Complaint? {
    let values = principal.values
    guard principal.isSound("tokens", "users", "certificates"), values.tokens.isEmpty, values.users.isEmpty,
      values.certificates.isEmpty
    else { return nil }
    return Complaint(
      principal.origin,
      "[[principal]] needs 'tokens', 'users' or 'certificates': it could not be known by anything (lastword token makes a token)"
    )
  }

  private func lonely(_ listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.authentication == .required, principals.isEmpty else { return nil }
    return Complaint(
      listener.origin(of: "auth"),
      "'auth' must not be \"required\" without any [[principal]]: nobody could come")
  }
}
