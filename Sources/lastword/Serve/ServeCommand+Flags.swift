import Addresses
import ArgumentParser
import Configuration
import GatewayCore
import JSONRPC

/// The settings that the flags of `lastword serve` change.
extension ServeCommand {
  var flags: [Override] {
    var flags: [Override] = []
    if !listen.isEmpty { flags.append(.flag("--listen", .listen, listen.map(\.description))) }
    if let audience { flags.append(.flag("--audience", .audience, [audience.rawValue])) }
    if let admin { flags.append(.flag("--admin", .admin("address"), [admin.description])) }
    if let upstream { flags.append(.flag("--upstream", .upstream("address"), [upstream])) }
    if let framing { flags.append(.flag("--framing", .upstream("framing"), [framing.framing.name])) }
    if perConnection { flags.append(.flag("--per-connection", .upstream("perConnection"), ["true"])) }
    if let cancel { flags.append(.flag("--cancel", .upstream("cancel"), [cancel.name])) }
    for route in compensate {
      guard let undoing = route.compensation else { continue }
      flags.append(.flag("--compensate", .compensation(of: route.method), [undoing]))
    }
    if let drainMs { flags.append(.flag("--drain-ms", .process("drainMs"), ["\(drainMs)"])) }
    if let logLevel { flags.append(.flag("--log-level", .log("level"), [logLevel.rawValue])) }
    if let logFormat { flags.append(.flag("--log-format", .log("format"), [logFormat.rawValue])) }
    return flags
  }
}

extension SocketAddress: ExpressibleByArgument {
  /// A port alone means a port of the loopback address.
  init?(argument: String) {
    if let port = UInt16(argument) {
      self = .tcp(host: "127.0.0.1", port: port)
    } else {
      self.init(parsing: argument)
    }
  }
  var defaultValueDescription: String { description }
}

extension CancelDialect: ExpressibleByArgument {
  /// The dialects that need no further setting.
  static let flags: [CancelDialect] = [.lsp, .mcp, .none]

  init?(argument: String) { self.init(rawValue: argument) }
  static var allValueStrings: [String] { flags.map(\.name) }
}

extension Audience: ExpressibleByArgument {}

extension LogLevel: ExpressibleByArgument {}

extension LogFormat: ExpressibleByArgument {}

extension Route: ExpressibleByArgument {
  init?(argument: String) {
    let names = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(method: String(names[0]), compensation: String(names[1]))
  }
}
