import Secrets

/// What a member of a fleet cannot be without.
extension FileConfiguration {
  var fleetComplaints: [Complaint] {
    let settings = fleet.values
    guard settings.name != nil else {
      guard fleet.isSound("name"),
        !settings.engine.isEmpty || settings.listen != nil || settings.secretFile != nil
      else {
        return []
      }
      return [Complaint(fleet.origin, "[fleet] needs a 'name'")]
    }
    var missing: [String] = []
    if settings.engine.isEmpty, fleet.isSound("engine") { missing.append("engine") }
    if settings.listen == nil, fleet.isSound("listen") { missing.append("listen") }
    if settings.secretFile == nil, fleet.isSound("secretFile") { missing.append("secretFile") }
    var complaints = missing.map { Complaint(fleet.origin, "[fleet] needs '\($0)'") }
    if (settings.user == nil) != (settings.passwordFile == nil), fleet.isSound("user", "passwordFile") {
      complaints.append(Complaint(fleet.origin, "[fleet] needs both 'user' and 'passwordFile', or neither"))
    }
    if !Digest.isAvailable {
      complaints.append(Complaint(fleet.origin, "[fleet] needs OpenSSL (the package trait TLS)"))
    }
    return complaints
  }
}
