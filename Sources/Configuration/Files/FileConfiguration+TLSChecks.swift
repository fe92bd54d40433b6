/// Complaints about settings of TLS that contradict each other.
extension FileConfiguration {
  func tlsComplaints(about listener: Section<ListenerSettings>) -> [Complaint] {
    guard listener.isSound("tls.certificate", "tls.key") else { return [] }
    return [missingTLS(listener), oddKeys(of: listener), missingClientCA(of: listener)].compactMap { $0 }
      + idleTLS(of: listener)
  }

  private func missingTLS(_ listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.hasTLS, !Self.hasTLS else { return nil }
    return Complaint(
      listener.origin(of: listener.certificates.isEmpty ? "tls.key" : "tls.certificate"), Self.withoutTLS)
  }

  private func oddKeys(of listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.certificates.count != listener.keys.count else { return nil }
    return listener.complaint(
      about: "tls.certificate", "tls.key",
      "'tls.certificate' and 'tls.key' must name as many files: here \(listener.certificates.count) and "
        + "\(listener.keys.count)")
  }

  private func missingClientCA(of listener: Section<ListenerSettings>) -> Complaint? {
    guard listener.requiresClientCertificate == true, listener.clientCA == nil,
      listener.isSound("tls.clientCA")
    else { return nil }
    return Complaint(
      listener.origin(of: "tls.requireClientCertificate"),
      "'tls.requireClientCertificate' needs 'tls.clientCA': nobody else says whose certificates are good")
  }

  private func idleTLS(of listener: Section<ListenerSettings>) -> [Complaint] {
    guard !listener.hasTLS else { return [] }
    return ["tls.clientCA", "tls.requireClientCertificate", "tls.minimumVersion"].filter(listener.isGiven).map
    {
      Complaint(listener.origin(of: $0), "'\($0)' says nothing without 'tls.certificate'")
    }
  }

  func halfIdentity(of upstream: Section<UpstreamSettings>) -> Complaint? {
    guard upstream.isSound("tls.certificate", "tls.key"),
      upstream.isGiven("tls.certificate") != upstream.isGiven("tls.key")
    else { return nil }
    let (given, other) =
      upstream.isGiven("tls.key") ? ("tls.key", "tls.certificate") : ("tls.certificate", "tls.key")
    return Complaint(upstream.origin(of: given), "'\(given)' says nothing without '\(other)'")
  }

  static let withoutTLS = "this build has no TLS (build with --traits TLS)"
  #if TLS
  package static let hasTLS = true
  #else
  package static let hasTLS = false
  #endif
}
