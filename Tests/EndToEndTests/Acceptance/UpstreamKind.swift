import TestSupport
import Testing

/// The ways in which lastword reaches what it stands before.
enum UpstreamKind: String, CaseIterable, CustomTestStringConvertible {
  case tcp
  case unix
  case tcpFrames
  /// A connection for each client.
  case ownTCP

  /// Those over which one connection carries the requests of all clients.
  static let shared: [UpstreamKind] = [.tcp, .unix, .tcpFrames]

  var testDescription: String { rawValue }

  var framing: String { self == .tcpFrames ? "content-length" : "lines" }

  /// Whether a connection is made before there is a request.
  var connectsAtOnce: Bool { self != .ownTCP }

  /// What the recording program is told to listen on.
  func listening(on address: String?, in directory: TemporaryDirectory) -> [String] {
    switch self {
    case .unix: ["--unix", directory.path + "/upstream.sock"]
    case .tcp, .tcpFrames, .ownTCP: ["--tcp", Self.port(of: address)]
    }
  }

  private static func port(of address: String?) -> String {
    address.map { String($0.split(separator: ":").last!) } ?? "0"
  }

  /// Lines for `[[upstream]]`, but for its name.
  func settings(address: String) -> String {
    """
    address = "\(address)"
    framing = "\(framing)"
    perConnection = \(self == .ownTCP)
    """
  }
}
