import Foundation
import TestSupport
import Testing

/// A gateway before the recording upstream, and a client.
final class UpstreamScene {
  let kind: UpstreamKind
  let directory: TemporaryDirectory
  let record: UpstreamRecord
  let gateway: RunningGateway
  let client: any Caller
  private let transport: Transport
  /// Where the upstream listens.
  private let address: String
  /// What it runs as; nil if it is a child of the gateway.
  private var program: RunningProgram?

  /// - Parameters:
  ///   - transport: what carries messages of clients.
  ///   - bounds: lines for `[bounds]` of the configuration file.
  ///   - listen: lines for its `[[listen]]`.
  ///   - settings: lines for its `[[upstream]]`.
  ///   - more: what else stands in it.
  ///   - environment: what the gateway has besides the test's.
  init(
    _ kind: UpstreamKind, over transport: Transport = .lines, bounds: String = UpstreamScene.longTimeouts,
    listen: String = "",
    upstream settings: String = "", more: String = "", environment: [String: String] = [:]
  ) throws {
    self.kind = kind
    self.transport = transport
    directory = try TemporaryDirectory()
    record = UpstreamRecord(path: directory.path + "/record")
    (program, address) = try Self.start(kind.command(record, in: directory, at: nil), kind)
    let text = ConfigurationFile.text(
      bounds: bounds, listen: listen, upstream: kind.settings(address: address) + "\n" + settings, more: more)
    gateway = try RunningGateway(
      configured: text, in: directory, reachesUpstream: kind.connectsAtOnce, environment: environment)
    client = try transport.caller(to: gateway.address)
  }

  convenience init(
    _ way: Way, bounds: String = UpstreamScene.longTimeouts, more: String = "",
    environment: [String: String] = [:]
  ) throws {
    try self.init(way.kind, over: way.transport, bounds: bounds, more: more, environment: environment)
  }

  /// Of several loops each has a connection of its own: what is to come over the same has one key.
  static func key(_ name: String) -> String { RunningGateway.loops > 1 ? "same" : name }

  /// SIGTERM, and the exit status. The client has gone by then: else it would be waited for a little.
  func stop() -> Int32? {
    client.finish()
    return gateway.stop()
  }

  /// Another client.
  func newClient() throws -> any Caller { try transport.caller(to: gateway.address) }

  /// What goes with an upstream that comes back at once, however slow the machine is.
  static let longTimeouts = """
    firstBackOffMs = 20
    lastBackOffMs = 100
    connectMs = 20000
    """

  // MARK: The upstream's life

  private static func start(
    _ command: [String], _ kind: UpstreamKind
  ) throws -> (RunningProgram?, address: String) {
    guard !kind.isChild else { return (nil, command.asChild) }
    let program = try RunningProgram(Programs.python, command)
    guard let address = program.outputLine() else {
      throw NotStarted(says: program.errorLine() ?? "")
    }
    return (program, address)
  }

  /// Once it has died it is started again where it was; the gateway does so with its own children.
  func bringUpstreamBack() throws {
    guard let old = program else { return }
    _ = old.exitStatus()
    program = try Self.start(kind.command(record, in: directory, at: address), kind).0
  }

  // MARK: Asking

  /// Sends a request whose params are its id as the marker, and what else there is.
  func ask(
    _ id: Int, _ method: String, _ options: String = "", key: String? = nil, policy: String? = nil,
    task: String = "", from client: (any Caller)? = nil
  ) throws {
    let params = #"{"marker":\#(id)\#(options.isEmpty ? "" : ",")\#(options)}"#
    if key == nil, task.isEmpty, RunningGateway.loops > 1 {
      return try ask(id, method, options, key: Self.key(""), policy: "concurrent", from: client)
    }
    try (client ?? self.client).send(request(id, method, params, key: key, policy: policy, task: task))
  }

  /// Requests that come in one piece.
  func ask(_ ids: [Int], _ method: String, key: String, policy: String) throws {
    try client.send(
      together: ids.map { request($0, method, #"{"marker":\#($0)}"#, key: key, policy: policy) })
  }

  /// A new client is served, and hears nothing else.
  func expectServed(_ id: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let client = try newClient()
    try ask(id, "echo", from: client)
    let reply = try client.expect()
    #expect(
      reply == #"{"jsonrpc":"2.0","id":\#(id),"result":{"marker":\#(id)}}"#, sourceLocation: sourceLocation)
    #expect(try client.isInStep(), sourceLocation: sourceLocation)
  }

  /// Nothing that upstream ever heard was sent to it twice, over all its lives.
  func expectNothingRepeated(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try record.heard().repetitions == [], sourceLocation: sourceLocation)
  }
}

struct NotStarted: Error { let says: String }

extension RunningGateway {
  /// A gateway with a configuration file of the test's own.
  convenience init(
    configured text: String, in directory: TemporaryDirectory, _ arguments: [String] = [],
    reachesUpstream: Bool = true, environment: [String: String] = [:]
  ) throws {
    let path = directory.path + "/lastword-\(UUID().uuidString.prefix(8)).toml"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try self.init(
      ["--config", path] + arguments, listen: [], reachesUpstream: reachesUpstream, environment: environment)
  }
}
