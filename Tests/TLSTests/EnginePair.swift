#if TLS
import TLS
import TestSupport
import Testing

/// A server's engine and a client's, and the wire between them.
final class EnginePair {
  let server: TLSEngine
  let client: TLSEngine
  /// What each has understood of the other.
  private(set) var serverHeard: [UInt8] = []
  private(set) var clientHeard: [UInt8] = []
  private var room: [UInt8] = []

  init(_ server: TLSContext, _ client: TLSContext, name: String = "localhost") throws {
    self.server = try TLSEngine(server: server)
    self.client = try TLSEngine(client: client, to: name)
  }

  /// Carries bytes both ways until nobody says anything, in pieces.
  func talk(pieceBytes: Int = 16 * 1024) {
    for _ in 0..<100 where !(server.output.isEmpty && client.output.isEmpty) {
      toServer(takeOutput(of: client), pieceBytes)
      toClient(takeOutput(of: server), pieceBytes)
    }
  }

  func takeOutput(of engine: TLSEngine) -> [UInt8] {
    defer { engine.output = [] }
    return engine.output
  }

  func toServer(_ bytes: [UInt8], _ pieceBytes: Int = 16 * 1024) {
    serverHeard += feed(bytes, to: server, pieceBytes)
  }

  func toClient(_ bytes: [UInt8], _ pieceBytes: Int = 16 * 1024) {
    clientHeard += feed(bytes, to: client, pieceBytes)
  }

  private func feed(_ bytes: [UInt8], to engine: TLSEngine, _ pieceBytes: Int) -> [UInt8] {
    var heard: [UInt8] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + pieceBytes, bytes.count)
      let piece = Array(bytes[start..<end])
      let count = engine.receive(piece.span, count: piece.count, into: &room)
      heard += room[..<count]
      start = end
    }
    return heard
  }
}

/// The authorities and certificates of all tests here, made once.
struct Papers {
  let authority: TestAuthority
  let foreign: TestAuthority
  let server: TestAuthority.Paper
  let other: TestAuthority.Paper
  let expired: TestAuthority.Paper
  let client: TestAuthority.Paper
  let foreignClient: TestAuthority.Paper

  nonisolated(unsafe) private static let made = Result { try Papers() }
  static func all() throws -> Papers { try unsafe made.get() }

  private init() throws {
    authority = try TestAuthority()
    foreign = try TestAuthority(name: "Somebody else")
    server = try authority.localPaper()
    other = try authority.paper(
      "other", subject: "/CN=other", names: ["DNS:other.example", "DNS:*.wild.example"])
    expired = try authority.paper(
      "expired", subject: "/CN=expired", names: ["DNS:localhost"], isExpired: true)
    client = try authority.paper(
      "client", subject: "/O=Example/CN=alice",
      names: ["DNS:alice.example", "URI:spiffe://example/alice", "email:alice@example.com", "IP:10.0.0.1"])
    foreignClient = try foreign.paper("foreign", subject: "/CN=mallory", names: [])
  }

  func identity(_ paper: TestAuthority.Paper) throws -> TLSIdentity {
    TLSIdentity(chain: try paper.chain(), key: try paper.keyBytes())
  }

  func serverContext(
    _ papers: TestAuthority.Paper..., asks: Bool = false, requires: Bool = false, minimum: TLSVersion = .v1_2,
    speaking protocols: [String] = []
  ) throws -> TLSContext {
    var settings = TLSServerSettings(try (papers.isEmpty ? [server] : papers).map(identity))
    settings.minimumVersion = minimum
    settings.applicationProtocols = protocols
    if asks || requires { settings.clientCA = try authority.certificateBytes() }
    settings.requiresClientCertificate = requires
    return try TLSContext(server: settings)
  }

  func clientContext(
    of authority: TestAuthority? = nil, showing paper: TestAuthority.Paper? = nil
  ) throws -> TLSContext {
    var settings = TLSClientSettings()
    settings.ca = try (authority ?? self.authority).certificateBytes()
    settings.identity = try paper.map(identity)
    return try TLSContext(client: settings)
  }
}

extension [UInt8] {
  init(_ text: String) { self = Array(text.utf8) }
  var text: String { String(decoding: self, as: UTF8.self) }
}
#endif
