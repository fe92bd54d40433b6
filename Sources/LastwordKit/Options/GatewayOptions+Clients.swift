import GatewayCore
import HTTP1
import Identity

extension GatewayOptions {
  /// What clients speak.
  public enum ClientProtocol: Hashable, CaseIterable, Sendable {
    /// A message a line.
    case lines
    /// A head with `Content-Length` before each message, as language servers have it.
    case contentLength
    /// HTTP/1.1: each POST is a message or a batch.
    case http
    /// WebSocket: each text is a message or a batch.
    case webSocket
  }

  /// What the addresses are told of it.
  /// - Throws: ``GatewayError/Code/invalidOrigin`` or ``GatewayError/Code/invalidHost``.
  func clients() throws(GatewayError) -> ClientProtocols {
    var clients = ClientProtocols()
    clients.protocols = ClientProtocols.Kinds(protocols.map(\.kind))
    for origin in origins { clients.origins.append(try plain(origin: origin)) }
    for host in hosts { clients.hosts.append(try Self.plain(host: host)) }
    return clients
  }

  /// As browsers write it.
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
