import Fleet
import Foundation
import TestSupport

/// A running etcd of one member, asked by HTTP.
final class EtcdServer {
  private let program: RunningProgram
  private let directory: TemporaryDirectory
  let address: String
  /// Where members find it.
  let url: String
  private let names: EtcdNames

  /// - Parameters:
  ///   - secure: what it shows; it is spoken to by HTTPS then, and the tests cannot ask it.
  ///   - clientCA: whose certificates it asks for.
  init(fleet: String, secure: TestAuthority.Paper? = nil, clientCA: TestAuthority? = nil) throws {
    names = EtcdNames(fleet: fleet)
    let scheme = secure == nil ? "http" : "https"
    let papers =
      (secure.map { ["--cert-file", $0.certificate, "--key-file", $0.key] } ?? [])
      + (clientCA.map { ["--client-cert-auth", "--trusted-ca-file", $0.certificate] } ?? [])
    (program, directory, address) = try RealServers.onFreePorts(2, "etcd") { ports in
      let directory = try TemporaryDirectory()
      let urls = ["\(scheme)://127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[1])"]
      let program = try RunningProgram(
        "/usr/bin/env",
        [
          "etcd", "--data-dir", directory.path + "/data", "--listen-client-urls", urls[0],
          "--advertise-client-urls", urls[0], "--listen-peer-urls", urls[1], "--initial-advertise-peer-urls",
          urls[1], "--initial-cluster", "default=\(urls[1])",
        ] + papers)
      return Self.isReady(program) ? (program, directory, "127.0.0.1:\(ports[0])") : nil
    }
    url = "\(scheme)://\(address)"
  }

  /// It answers nothing until it goes on.
  func pause() { kill(program.identifier, SIGSTOP) }
  func goOn() { kill(program.identifier, SIGCONT) }

  deinit { goOn() }

  static func isReady(_ program: RunningProgram) -> Bool {
    while let line = program.errorLine() {
      if line.contains("ready to serve client requests") { return true }
      if line.contains("address already in use") { return false }
    }
    return false
  }

  /// A POST, and what comes of it.
  func connect(_ request: EtcdRequest) throws -> LineSocket { try connect(request.path, request.body) }

  private func connect(_ path: String, _ body: [UInt8]) throws -> LineSocket {
    let socket = try LineSocket(address)
    let head = "POST \(path) HTTP/1.1\r\nHost: \(address)\r\nContent-Length: \(body.count)\r\n\r\n"
    try socket.send(bytes: Array(head.utf8) + body)
    return socket
  }

  /// From now on it asks who one is: `root`, with this password.
  func askWho(password: String) throws {
    for (path, body) in [
      ("user/add", #"{"name":"root","password":"\#(password)"}"#), ("role/add", #"{"name":"root"}"#),
      ("user/grant", #"{"user":"root","role":"root"}"#), ("enable", "{}"),
    ] {
      let answer = try connect("/v3/auth/\(path)", Array(body.utf8)).expectAnswer()
      guard answer.status == 200 else { throw RealServers.Failure(description: "etcd says \(answer)") }
    }
  }

  private func answer(to request: EtcdRequest) throws -> [UInt8] {
    let answer = try connect(request).expectAnswer()
    guard answer.status == 200 else { throw RealServers.Failure(description: "etcd says \(answer)") }
    return Array(answer.content.utf8)
  }

  func ask(_ body: EngineRequest.Body) throws -> (EngineAnswer, EngineHeader) {
    let text = try answer(to: EtcdRequest(body, names))
    guard let read = EtcdAnswer.read(text, to: body, names) else {
      throw RealServers.Failure(description: "no answer: \(String(decoding: text, as: UTF8.self))")
    }
    return (read.answer, read.header)
  }

  func all() throws -> (records: [(key: EngineKey, record: EngineRecord)], header: EngineHeader) {
    let text = try answer(to: .all(names))
    guard let read = EtcdAnswer.readAll(text, names) else {
      throw RealServers.Failure(description: "no answer: \(String(decoding: text, as: UTF8.self))")
    }
    return read
  }

  func watch(behind revision: Int64) throws -> EtcdWatch {
    EtcdWatch(try connect(.watch(behind: revision, names)), names)
  }
}

/// What etcd tells as it happens: a line in each chunk.
final class EtcdWatch {
  private let socket: LineSocket
  private let names: EtcdNames

  init(_ socket: LineSocket, _ names: EtcdNames) {
    self.socket = socket
    self.names = names
  }

  /// What the next message says.
  func next() throws -> EtcdAnswer.Watched {
    while true {
      let line = try socket.expect()
      if line.hasPrefix("{"), let watched = EtcdAnswer.readWatched(Array(line.utf8), names) { return watched }
    }
  }

  var hasNews: Bool { socket.hasNews }
}
