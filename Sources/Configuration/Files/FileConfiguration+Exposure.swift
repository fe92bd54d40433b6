import Addresses
import TOML

/// Protected mode: a listener without authentication is open to this machine only, unless a setting allows the network.
extension FileConfiguration {
  var exposedListeners: [Complaint] {
    listeners.filter { $0.isSound("address", "audience") && $0.audience == .loopback && isOpen($0) }.map {
      let origin = $0.origin(of: "address")
      return Complaint(
        origin,
        "'address' of [[listen]] must be a loopback address, such as 127.0.0.1:5278, or unix:PATH, not "
          + "\(Quoted.text($0.address.description)): whoever reaches it is served, for clients do not log in there; "
          + "have them (auth = \"required\", or tls.requireClientCertificate), or, if the network is to reach it, "
          + "say \(Self.word(for: origin))"
      )
    }
  }

  private func isOpen(_ listener: Section<ListenerSettings>) -> Bool {
    listener.values.asksNobody && !listener.address.isLocal
  }

  /// The setting that allows the network, in the form for the origin of the listener's address: the file, the
  /// environment or a flag.
  private static func word(for origin: Origin) -> String {
    switch origin {
    case .standard, .file: "audience = \"network\" in its [[listen]]"
    case .environment: "\(Override.Target.audience.environmentName ?? "")=network"
    case .flag: "--audience network"
    }
  }

  // MARK: Warnings

  /// Warnings about listeners that serve every client on the network, as a setting allows. The running gateway logs the
  /// same, with its actual ports.
  package var openListeners: [Complaint] {
    listeners.filter(isOpen).map {
      Complaint(
        warningAt: $0.origin(of: "address"),
        "whoever reaches \(Quoted.text($0.address.description)) is served, for clients do not log in: "
          + "have them (auth = \"required\"), or keep strangers away by a firewall or a proxy")
    }
  }

  var openSockets: [Complaint] {
    listeners.filter { $0.values.asksNobody && ($0.values.mode?.isForEverybody ?? false) }.map {
      Complaint(
        warningAt: $0.origin(of: "mode"),
        "every user of this machine may connect to \(Quoted.text($0.address.description)), for clients do not log in"
      )
    }
  }

  var openPages: [Complaint] {
    guard let address = admin.values.address, !address.isLocal, admin.token == nil else { return [] }
    return [
      Complaint(
        warningAt: admin.origin(of: "address"),
        "whoever reaches the admin pages on \(Quoted.text(address.description)) sees what clients ask for: "
          + "give [admin] a 'token', or keep strangers away by a firewall or a proxy")
    ]
  }

  /// Warnings about links between members of a fleet that cross a network without TLS.
  var openLinks: [Complaint] {
    guard let address = fleet.values.listen, !address.isLocal, !fleet.values.hasTLS else { return [] }
    return [
      Complaint(
        warningAt: fleet.origin(of: "listen"),
        "what members say to each other over \(Quoted.text(address.description)) is not encrypted: "
          + "give [fleet] a 'tls.certificate', or connect them over a network of their own")
    ]
  }
}
