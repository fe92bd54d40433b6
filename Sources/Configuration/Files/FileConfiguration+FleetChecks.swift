import Secrets

/// What a member of a fleet cannot be without.
extension FileConfiguration {
  var fleetComplaints: [Complaint] {
    let settings = fleet.values
    guard settings.name != nil else {
      guard fleet.isSound("name"),
        !settings.engine.isEmpty || settings.listen != nil || settings.secretFile != nil || settings.hasTLS
      else {
        return []
      }
      return [Complaint(fleet.origin, "[fleet] needs a 'name'")]
    }
    var missing: [String] = []
    if settings.engine.isEmpty, fleet.isSound("engine") { missing.append("engine") }
    if settings.listen == nil, fleet.isSound("listen") { missing.append("listen") }
    var complaints = missing.map { Complaint(fleet.origin, "[fleet] needs '\($0)'") }
    if settings.secretFile == nil, !settings.hasTLS, fleet.isSound("secretFile", "tls.certificate") {
      complaints.append(Complaint(fleet.origin, "[fleet] needs 'secretFile' or 'tls.certificate'"))
    }
    complaints += fleetTLSComplaints
    if (settings.user == nil) != (settings.passwordFile == nil), fleet.isSound("user", "passwordFile") {
      complaints.append(Complaint(fleet.origin, "[fleet] needs both 'user' and 'passwordFile', or neither"))
    }
    if !Digest.isAvailable {
      complaints.append(Complaint(fleet.origin, "[fleet] needs OpenSSL (the package trait TLS)"))
    }
    return complaints
  }

  private var fleetTLSComplaints: [Complaint] {
    guard Self.fleetTLSNames.allSatisfy({ fleet.isSound($0) }) else { return [] }
    if fleet.values.hasTLS, !Self.hasTLS {
      return [Complaint(fleet.origin(of: "tls.certificate"), Self.withoutTLS)]
    }
    let given = Self.fleetTLSNames.filter(fleet.isGiven)
    let missing = given.isEmpty ? [] : Self.fleetTLSNames.dropLast().filter { !fleet.isGiven($0) }
    return missing.isEmpty
      ? [] : [Complaint(fleet.origin(of: given[0]), "'\(given[0])' says nothing without '\(missing[0])'")]
  }

  /// The last of them need not be there.
  private static let fleetTLSNames = ["tls.certificate", "tls.key", "tls.ca", "tls.serverName"]
}
