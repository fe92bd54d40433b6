import Addresses
import TOML

/// Complaints about admin pages that others could read.
extension FileConfiguration {
  var adminComplaints: [Complaint] { [exposedAdmin, sharedAdmin].compactMap { $0 } }

  private var exposedAdmin: Complaint? {
    guard admin.isSound("address", "audience"), let address = admin.values.address, !address.isLocal,
      admin.audience == .loopback
    else { return nil }
    return Complaint(
      admin.origin(of: "address"),
      "'address' of [admin] must be a loopback address, such as 127.0.0.1:5279, or unix:PATH, not "
        + "\(Quoted.text(address.description)): whoever reaches it sees what clients ask for; "
        + "if the network is to reach it, say audience = \"network\" in [admin]")
  }

  private var sharedAdmin: Complaint? {
    guard admin.isSound("address"), let address = admin.values.address,
      let listener = listeners.first(where: { $0.isSound("address") && $0.address.collides(with: address) })
    else { return nil }
    return Complaint(
      admin.origin(of: "address"),
      "'address' of [admin] is \(Quoted.text(address.description)), where clients connect: "
        + "\(listener.origin(of: "address"))")
  }
}
