import TestSupport

/// A server behind TLS that answers each POST with its body, or at `/port` with the
/// client's port, and the certificate that it made for itself.
final class HTTPSTestServer {
  struct Failure: Error { let what: String }

  private static let script = """
    import http.server, ssl, sys

    class Echo(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/port": body = b"%d" % self.client_address[1]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_): pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  let port: UInt16
  /// The file that it is in.
  let certificate: String
  private let directory: TemporaryDirectory
  private let program: RunningProgram

  init() throws {
    directory = try TemporaryDirectory()
    certificate = directory.path + "/certificate.pem"
    let key = directory.path + "/key.pem"
    try Self.makeCertificate(certificate, key)
    program = try RunningProgram("/usr/bin/env", ["python3", "-c", Self.script, certificate, key])
    guard let line = program.outputLine(), let port = UInt16(line) else {
      throw Failure(what: program.errorLine() ?? "the server ended")
    }
    self.port = port
  }

  private static func makeCertificate(_ certificate: String, _ key: String) throws {
    let program = try RunningProgram(
      "/usr/bin/env",
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=lastword", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
        "-out",
        certificate,
      ])
    guard program.exitStatus() == 0 else { throw Failure(what: program.errorLine() ?? "no certificate") }
  }
}
