import Foundation
import TestSupport

/// A gateway with one listener under TLS, and the authority that vouches for it.
final class SecureScene {
  let authority: TestAuthority
  let gateway: RunningGateway
  let paper: TestAuthority.Paper
  private let path: String

  /// - Parameters:
  ///   - tls: what its table says besides certificate and key.
  ///   - bounds: of the configuration.
  init(tls: String = "", bounds: String = "", environment: [String: String] = [:]) throws {
    authority = try TestAuthority()
    paper = try authority.localPaper()
    path = authority.path + "/lastword.toml"
    try Data(Self.configuration(paper, authority, tls, bounds).utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.copyItem(atPath: authority.certificate, toPath: authority.path + "/clients.pem")
    gateway = try RunningGateway(
      ["--config", path], listen: [], reachesUpstream: false, environment: environment)
  }

  private static func configuration(
    _ paper: TestAuthority.Paper, _ authority: TestAuthority, _ tls: String, _ bounds: String
  ) -> String {
    """
    [bounds]
    \(bounds)
    [[listen]]
    address = "127.0.0.1:0"
    tls.certificate = "\(paper.certificate)"
    tls.key = "\(paper.key)"
    \(tls.replacingOccurrences(of: "\"CA\"", with: "\"\(authority.path)/clients.pem\""))
    """
  }

  var place: String { "tls:\(gateway.address)" }
  var port: String { String(gateway.address.split(separator: ":")[1]) }

  /// Has the certificate's place taken by another, and the gateway told of it.
  func replace(by other: TestAuthority.Paper) throws {
    for (new, old) in [(other.certificate, paper.certificate), (other.key, paper.key)] {
      try Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: old))
    }
  }

  /// Has the gateway reload its file with another text instead of this one.
  func reload(_ old: String, as new: String) throws {
    try ConfigurationFile.replace(old, by: new, in: path, of: gateway)
  }

  /// Has another authority vouch for clients.
  func trustClients(of other: TestAuthority) throws {
    try Data(contentsOf: URL(fileURLWithPath: other.certificate)).write(
      to: URL(fileURLWithPath: authority.path + "/clients.pem"))
  }

  /// `lastword call`, and what came of it.
  func call(_ method: String, _ params: String, ca: String? = nil, _ more: [String] = []) throws -> (
    line: String?, error: String?, status: Int32?
  ) {
    let words = ["call", method, params, "--to", place, "--ca", ca ?? authority.certificate]
    let program = try RunningProgram(Programs.lastword, words + more)
    return (program.outputLine(), program.errorLine(), program.exitStatus())
  }

  /// A program in Python that speaks over `s`, a socket under TLS; gives the lines that it prints.
  func python(_ body: String) throws -> RunningProgram {
    let script = """
      import socket, ssl, sys
      context = ssl.create_default_context(cafile=sys.argv[1])
      raw = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
      raw.settimeout(60)
      s = context.wrap_socket(raw, server_hostname="localhost", suppress_ragged_eofs=False)
      lines = s.makefile("rb")
      def say(*words): print(*words, flush=True)
      def ask(text): s.sendall(text.encode() + b"\\n")
      def line(): return lines.readline().decode().rstrip("\\n")
      \(body)
      """
    return try RunningProgram(
      "/usr/bin/env", ["python3", "-c", script, authority.certificate, port], takesInput: true)
  }
}
