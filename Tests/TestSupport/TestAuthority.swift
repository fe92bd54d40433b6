import Foundation

/// An authority that a test makes with the `openssl` command, and the certificates that it gives out. All of it lies in
/// a directory that is gone when the test is.
package final class TestAuthority {
  /// What it gives out: files, both PEM.
  package struct Paper: Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }

    package func chain() throws -> [UInt8] { try TestAuthority.bytes(of: certificate) }
    package func keyBytes() throws -> [UInt8] { try TestAuthority.bytes(of: key) }
  }

  private let directory: TemporaryDirectory
  /// The file with its own certificate.
  package let certificate: String
  private let key: String

  /// Where tests may put files of their own.
  package var path: String { directory.path }

  package init(name: String = "Test authority") throws {
    directory = try TemporaryDirectory()
    certificate = directory.path + "/ca.pem"
    key = directory.path + "/ca.key"
    try Self.openssl(
      ["req", "-x509"] + Self.newKey + [
        "-days", "2", "-subj", "/CN=\(name)", "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout",
        key,
        "-out", certificate,
      ])
  }

  package func certificateBytes() throws -> [UInt8] { try Self.bytes(of: certificate) }

  /// A certificate with its key.
  /// - Parameters:
  ///   - names: subject alternative names, as `DNS:localhost` and `IP:127.0.0.1`.
  ///   - isExpired: it was good until 2021.
  package func paper(_ file: String, subject: String, names: [String], isExpired: Bool = false) throws
    -> Paper
  {
    let paper = Paper(certificate: "\(directory.path)/\(file).pem", key: "\(directory.path)/\(file).key")
    let request = "\(directory.path)/\(file).csr"
    let alternatives = names.isEmpty ? [] : ["-addext", "subjectAltName=" + names.joined(separator: ",")]
    try Self.openssl(
      ["req", "-new"] + Self.newKey + ["-subj", subject, "-keyout", paper.key, "-out", request] + alternatives
    )
    if isExpired {
      try signInThePast(request, paper.certificate)
    } else {
      try Self.openssl([
        "x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-CAcreateserial", "-days", "2",
        "-copy_extensions", "copy", "-out", paper.certificate,
      ])
    }
    return paper
  }

  /// For this machine's loopback addresses.
  package func localPaper(_ file: String = "server") throws -> Paper {
    try paper(file, subject: "/CN=\(file)", names: ["DNS:localhost", "IP:127.0.0.1", "IP:::1"])
  }

  private func signInThePast(_ request: String, _ certificate: String) throws {
    let settings = directory.path + "/past.conf"
    try Data(
      """
      [ca]
      default_ca = past
      [past]
      database = \(directory.path)/past.txt
      new_certs_dir = \(directory.path)
      rand_serial = yes
      default_md = sha256
      policy = any
      copy_extensions = copy
      [any]
      commonName = supplied

      """.utf8
    ).write(to: URL(fileURLWithPath: settings))
    try Data().write(to: URL(fileURLWithPath: directory.path + "/past.txt"))
    try Self.openssl([
      "ca", "-batch", "-notext", "-config", settings, "-cert", self.certificate, "-keyfile", key,
      "-startdate",
      "20200101000000Z", "-enddate", "20210101000000Z", "-in", request, "-out", certificate,
    ])
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  fileprivate static func bytes(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  package static func openssl(_ arguments: [String]) throws {
    let program = try RunningProgram("/usr/bin/env", ["openssl"] + arguments)
    guard program.exitStatus() == 0 else {
      var lines: [String] = []
      while let line = program.errorLine() { lines.append(line) }
      throw LineSocket.Failure(description: "openssl \(arguments[0]): \(lines.joined(separator: "; "))")
    }
  }
}
