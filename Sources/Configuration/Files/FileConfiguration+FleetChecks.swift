import Addresses
import GatewayCore
import Secrets
import TOML

/// Complaints about the settings of a fleet's member.
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
    complaints += placelessness + sharedPlaces + fleetTLSComplaints + engineTLSComplaints
    if (settings.user == nil) != (settings.passwordFile == nil), fleet.isSound("user", "passwordFile") {
      complaints.append(Complaint(fleet.origin, "[fleet] needs both 'user' and 'passwordFile', or neither"))
    }
    let (message, unread) = (bounds.core.messageLimitBytes, bounds.core.clientOutputHardBytes)
    let each = [("messageBytes", message), ("clientOutputHardBytes", unread)]
    let tooLong: [Complaint] = each.compactMap(longestComplaint)
    complaints += tooLong.isEmpty ? togetherComplaints(message, unread) : tooLong
    if !Digest.isAvailable {
      complaints.append(Complaint(fleet.origin, "[fleet] needs OpenSSL (the package trait TLS)"))
    }
    return complaints
  }

  /// A complaint about a bound beyond what goes from one member to another at once.
  private func longestComplaint(_ name: String, _ byteCount: Int) -> Complaint? {
    let most = GatewayConfiguration.Fleet.mostMessageBytes
    guard byteCount > most, bounds.isSound(name) else { return nil }
    return Complaint(
      bounds.origin(of: name),
      "'\(name)' (\(byteCount)) must not be more than \(most) with [fleet]: members pass on nothing longer")
  }

  /// A complaint about bounds that together are beyond that.
  private func togetherComplaints(_ messageBytes: Int, _ unreadBytes: Int) -> [Complaint] {
    let most = GatewayConfiguration.Fleet.mostEventBytes
    let (message, unread) = ("messageBytes", "clientOutputHardBytes")
    guard messageBytes + unreadBytes > most, bounds.isSound(message, unread) else { return [] }
    return [
      bounds.complaint(
        about: message, unread,
        "'\(message)' (\(messageBytes)) and '\(unread)' (\(unreadBytes)) must not be more than \(most) together "
          + "with [fleet]: members pass on nothing longer")
    ]
  }

  /// A complaint about an address that leads other members to their own machines.
  private var placelessness: [Complaint] {
    let name = fleet.values.advertise == nil ? "listen" : "advertise"
    guard fleet.isSound("listen", "advertise"), let address = fleet.values.advertise ?? fleet.values.listen,
      address.reachable != address
    else { return [] }
    return [
      Complaint(
        fleet.origin(of: name),
        "'\(name)' of [fleet] is \(Quoted.text(address.description)), where no other member finds this one: "
          + "say in 'advertise' how it does")
    ]
  }

  /// Complaints about a `listen` that clients or the admin pages use, too, and about an `advertise` with port 0.
  private var sharedPlaces: [Complaint] {
    var complaints: [Complaint] = []
    if fleet.isSound("advertise"), case .tcp(_, 0)? = fleet.values.advertise {
      complaints.append(
        Complaint(
          fleet.origin(of: "advertise"),
          "'advertise' of [fleet] must have a port of 1 to 65535, where others connect"))
    }
    guard fleet.isSound("listen"), let address = fleet.values.listen else { return complaints }
    func complain(_ what: String, _ origin: Origin) {
      complaints.append(
        Complaint(
          fleet.origin(of: "listen"),
          "'listen' of [fleet] is \(Quoted.text(address.description)), where \(what): \(origin)"))
    }
    if let listener = listeners.first(where: { $0.isSound("address") && $0.address.collides(with: address) })
    {
      complain("clients connect", listener.origin(of: "address"))
    }
    if admin.isSound("address"), let pages = admin.values.address, pages.collides(with: address) {
      complain("the admin pages are", admin.origin(of: "address"))
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

  /// Complaints about TLS settings for etcd without an https: address, and about a certificate without its key.
  private var engineTLSComplaints: [Complaint] {
    let given = Self.engineTLSNames.filter(fleet.isGiven)
    guard Self.engineTLSNames.allSatisfy({ fleet.isSound($0) }), let first = given.first else { return [] }
    if fleet.isSound("engine"), !fleet.values.engine.contains(where: \.isSecure) {
      return [Complaint(fleet.origin(of: first), "'\(first)' says nothing without an etcd at https:")]
    }
    let half = ["engineCertificate", "engineKey"].filter(fleet.isGiven)
    guard half.count == 1 else { return [] }
    let missing = half[0] == "engineKey" ? "engineCertificate" : "engineKey"
    return [Complaint(fleet.origin(of: half[0]), "'\(half[0])' says nothing without '\(missing)'")]
  }

  private static let engineTLSNames = ["engineCaFile", "engineCertificate", "engineKey"]

  /// The names of the TLS settings; the last one may be left out.
  private static let fleetTLSNames = ["tls.certificate", "tls.key", "tls.ca", "tls.serverName"]
}
