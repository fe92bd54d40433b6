import Foundation
import TestSupport
import Testing

/// A gateway before an upstream of the test's own, for clients that come by WebSocket.
final class WebSocketScene {
  let directory: TemporaryDirectory
  let listener: ListeningSocket
  let gateway: RunningGateway
  let upstream: LineSocket
  private var path: String { directory.path + "/lastword.toml" }

  /// - Parameters:
  ///   - bounds: lines for `[bounds]` of the configuration.
  ///   - listen: lines for its `[[listen]]`.
  ///   - upstream: lines for its `[[upstream]]`.
  ///   - more: what follows.
  ///   - isUnix: it listens on a Unix socket.
  init(
    bounds: String = "", listen: String = "", upstream: String = "", more: String = "", isUnix: Bool = false
  ) throws {
    directory = try TemporaryDirectory()
    listener = try ListeningSocket()
    let text = """
      [bounds]
      \(bounds)
      [[listen]]
      address = "\(isUnix ? "unix:\(directory.path)/socket" : "127.0.0.1:0")"
      \(listen)
      [[upstream]]
      name = "main"
      address = "\(listener.address)"
      \(upstream)
      \(more)
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/lastword.toml"))
    gateway = try RunningGateway(["--config", directory.path + "/lastword.toml"], listen: [])
    self.upstream = try listener.accept()
  }

  func open(_ fields: String = "", behind: [UInt8] = []) throws -> WebSocketPeer {
    try WebSocketPeer(gateway.connect(), fields, behind: behind)
  }

  /// Has the gateway reload its file with another text instead of this one.
  func reload(_ old: String, as new: String) throws {
    let file = URL(fileURLWithPath: path)
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: file)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
  }

  /// A request of this peer goes to upstream and is answered.
  func expectServed(_ peer: WebSocketPeer, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try peer.send(request(4711, "canary"))
    let asked = try upstream.asked()
    #expect(asked.method == "canary", sourceLocation: sourceLocation)
    try upstream.answer(#require(asked.id), "sung")
    #expect(
      try peer.expect() == #"{"jsonrpc":"2.0","id":4711,"result":"sung"}"#, sourceLocation: sourceLocation)
  }

  /// It is closed with this code, and others are served.
  func expectClosed(
    _ peer: WebSocketPeer, _ code: UInt16?, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try peer.expectClose(code, sourceLocation: sourceLocation)
    try expectServed(open(), sourceLocation: sourceLocation)
  }
}
