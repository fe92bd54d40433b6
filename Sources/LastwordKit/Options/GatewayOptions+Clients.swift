import GatewayCore
import HTTP1
import Identity

extension GatewayOptions {
  /// A protocol that carries JSON-RPC messages between a client and the gateway.
  public enum ClientProtocol: Hashable, CaseIterable, Sendable {
    /// Each line is a message or a batch.
    case lines
    /// A header with `Content-Length` comes before each message or batch, as in the Language Server Protocol.
    case contentLength
    /// HTTP/1.1 (RFC 9112): each POST is a message or a batch.
    case http
    /// WebSocket (RFC 6455): each text message is a message or a batch.
    case webSocket
  }

  /// The protocols, origins and hosts for each address, checked.
  /// - Throws: ``GatewayError/Code/invalidOrigin`` or ``GatewayError/Code/invalidHost``.
  func clients() throws(GatewayError) -> ClientProtocols {
    var clients = ClientProtocols()
    clients.protocols = ClientProtocols.Kinds(protocols.map(\.kind))
    for origin in origins { clients.origins.append(try plain(origin: origin)) }
    for host in hosts { clients.hosts.append(try Self.plain(host: host)) }
    return clients
  }

  /// The origin as browsers write it.
  private func plain(origin: String) throws(GatewayError) -> String {
    if origin == ClientProtocols.everyOrigin {
      guard origins.count == 1, case .required(let principals) = authentication,
        principals.allSatisfy(\.users.isEmpty)
      else { throw .everyOrigin }
      return origin
    }
    guard let plain = HTTPOrigin(origin), !["ws", "wss", "file"].contains(plain.scheme) else {
      throw .invalidOrigin(origin)
    }
    return plain.text
  }

  private static func plain(host: String) throws(GatewayError) -> String {
    guard let plain = HTTPHost(host), plain.text == plain.name, !plain.name.isEmpty, !plain.isAddress,
      plain.name.utf8.count <= hostLimitBytes
    else { throw .invalidHost(host) }
    return plain.name
  }

  private static let hostLimitBytes = 253
}

extension GatewayOptions.ClientProtocol {
  fileprivate var kind: ClientProtocols.Kinds {
    switch self {
    case .lines: .lines
    case .contentLength: .contentLength
    case .http: .http
    case .webSocket: .webSocket
    }
  }
}
