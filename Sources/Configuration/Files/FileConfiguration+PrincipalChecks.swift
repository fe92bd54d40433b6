import Identity

/// Where it is not clear who is who, or nobody could be anybody.
extension FileConfiguration {
  var principalComplaints: [Complaint] {
    duplicates(of: "name", in: principals) { $0.values.name }
      + repeated("tokens", \.tokens, "token", shown: \.settingText)
      + repeated("users", \.users, "user", shown: \.settingText)
      + repeated("certificates", \.certificates, "certificate", shown: \.settingText)
      + principals.compactMap(unknowable) + listeners.compactMap(lonely)
  }

  /// What two principals would be known by.
  private func repeated<Item: Hashable>(
    _ name: String, _ items: (PrincipalSettings) -> [Item], _ what: String, shown: (Item) -> String
  ) -> [Complaint] {
    var first: [Item: Origin] = [:]
    return principals.filter { $0.isSound(name) }.flatMap { principal in
      items(principal.values).compactMap { item -> Complaint? in
        guard let earlier = first[item] else {
          first[item] = principal.origin(of: name)
          return nil
        }
        return Complaint(
          principal.origin(of: name),
          "'\(name)' has the \(what) \(shown(item)) a second time; the first is at \(earlier)")
      }
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
