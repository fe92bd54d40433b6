import Foundation
import TestSupport
import Testing

/// A gateway before an upstream of the test's own, for clients that come by WebSocket.
final class WebSocketScene {
  private let stage: Stage
  var directory: TemporaryDirectory { stage.directory }
  var gateway: RunningGateway { stage.gateway }
  var upstream: LineSocket { stage.upstream }

  /// As a `Stage` takes it.
  init(
    bounds: String = "", listen: String = "", upstream: String = "", more: String = "", isUnix: Bool = false,
    environment: [String: String] = [:]
  ) throws {
    stage = try Stage(
      bounds: bounds, listen: listen, upstream: upstream, more: more, isUnix: isUnix, environment: environment
    )
  }

  func open(_ fields: String = "", behind: [UInt8] = []) throws -> WebSocketPeer {
    try WebSocketPeer(gateway.connect(), fields, behind: behind)
  }

  func reload(_ old: String, as new: String) throws { try stage.reload(old, as: new) }

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
