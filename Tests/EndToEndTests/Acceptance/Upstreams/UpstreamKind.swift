import TestSupport
import Testing

/// The ways in which lastword reaches what it stands before.
enum UpstreamKind: String, CaseIterable, CustomTestStringConvertible {
  case tcp, unix, tcpFrames
  case exec, execFrames
  /// A connection, or child, for each client.
  case ownTCP, ownExec
  /// Each request is an exchange: it has a connection, or a child, for itself.
  case http, hardTCP, hardExec

  /// One connection carries the requests of all clients.
  static let connections: [UpstreamKind] = [.tcp, .unix, .tcpFrames, .exec, .execFrames]
  static let sockets: [UpstreamKind] = [.tcp, .unix, .tcpFrames]
  static let children: [UpstreamKind] = [.exec, .execFrames]
  static let privates: [UpstreamKind] = [.ownTCP, .ownExec]
  static let exchanges: [UpstreamKind] = [.http, .hardTCP, .hardExec]

  var testDescription: String { rawValue }

  var framing: String {
    switch self {
    case .tcpFrames, .execFrames, .ownExec: "content-length"
    case .tcp, .unix, .exec, .ownTCP, .http, .hardTCP, .hardExec: "lines"
    }
  }

  var isChild: Bool {
    switch self {
    case .exec, .execFrames, .ownExec, .hardExec: true
    case .tcp, .unix, .tcpFrames, .ownTCP, .http, .hardTCP: false
    }
  }

  /// Whether the gateway says that it is connected before there is a request.
  var connectsAtOnce: Bool { !Self.privates.contains(self) }

  /// The words that start the recording program.
  /// - Parameter address: where it listened before.
  func command(_ record: UpstreamRecord, in directory: TemporaryDirectory, at address: String?) -> [String] {
    let port = address.map { String($0.split(separator: ":").last!) } ?? "0"
    let listening: [String] =
      switch self {
      case .unix: ["--unix", directory.path + "/upstream.sock"]
      case .tcp, .tcpFrames, .ownTCP, .hardTCP: ["--tcp", port]
      case .http: ["--http", port]
      case .exec, .execFrames, .ownExec, .hardExec: []
      }
    return ["python3", "-IS", Programs.recorder, record.path, "--framing", framing] + listening
  }

  /// Lines for `[[upstream]]`, but for its name.
  func settings(address: String) -> String {
    guard self != .http else { return #"address = "\#(address)""# }
    return """
      address = "\(address)"
      framing = "\(framing)"
      perConnection = \(Self.privates.contains(self))
      hard = \(Self.exchanges.contains(self))
      """
  }
}

extension Programs {
  static let recorder = repository + "/Tests/EndToEndTests/fixtures/recorder.py"
}

extension [String] {
  /// As an address of an upstream.
  var asChild: String { "exec:" + map { "'\($0)'" }.joined(separator: " ") }
}
