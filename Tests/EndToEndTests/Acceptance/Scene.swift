import Foundation
import TestSupport
import Testing

/// A gateway before an upstream of the test's own, a client that does what a row says, and a bystander whose request
/// is in flight meanwhile.
struct Scene {
  private let stage: Stage
  let client: any Caller
  private let transport: Transport
  private let bystander: LineSocket
  /// Upstream's id of the bystander's request.
  private let held: Int

  var directory: TemporaryDirectory { stage.directory }
  var gateway: RunningGateway { stage.gateway }
  var upstream: LineSocket { stage.upstream }
  /// The client's connection, for a test that chooses its bytes.
  var socket: LineSocket { client.socket }

  /// - Parameters:
  ///   - transport: what carries the client's messages; the bystander's are lines.
  ///   - bounds: lines for `[bounds]` of the configuration file.
  ///   - listen: lines for its `[[listen]]`.
  ///   - environment: what the gateway has besides the test's.
  init(
    over transport: Transport = .lines, bounds: String = "", listen: String = "",
    environment: [String: String] = [:]
  ) throws {
    self.transport = transport
    stage = try Stage(bounds: bounds, listen: listen, environment: environment)
    bystander = try stage.gateway.connect()
    client = try transport.caller(to: stage.gateway.address)
    try bystander.send(request(1, "held"))
    held = try stage.upstream.asked().id!
  }

  // MARK: What a row says

  /// The next line is an error, its id spelled just so.
  func expectError(
    _ code: Int, id: String = "null", naming name: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let line = try client.expect()
    #expect(line.isError(code, id: id), "\(line.prefix(300))", sourceLocation: sourceLocation)
    if !name.isEmpty {
      #expect(line.contains(name), "\(line.prefix(300))", sourceLocation: sourceLocation)
    }
  }

  /// **K**: nothing else was said, the connection is in step, and upstream has heard of nothing but this.
  func expectKept(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try client.isInStep(), sourceLocation: sourceLocation)
    try expectServed(client, sourceLocation: sourceLocation)
    try expectBystanderUnharmed(sourceLocation: sourceLocation)
  }

  /// **C**: nothing else was said, the connection has ended, and nothing of it has reached upstream.
  /// - Parameter code: that of a WebSocket's Close.
  func expectClosed(_ code: UInt16? = 1008, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try client.receive() == nil, sourceLocation: sourceLocation)
    if let peer = client as? WebSocketPeer {
      #expect(peer.closeCode == code, sourceLocation: sourceLocation)
      #expect(try peer.socket.seenFrame() == nil, sourceLocation: sourceLocation)
    }
    try expectOthersServed(sourceLocation: sourceLocation)
    try expectBystanderUnharmed(sourceLocation: sourceLocation)
  }

  /// A new client is served, and upstream has heard of nothing but this.
  func expectOthersServed(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectServed(transport.caller(to: gateway.address), sourceLocation: sourceLocation)
  }

  private func expectServed(_ client: any Caller, sourceLocation: SourceLocation) throws {
    try client.send(request(4711, "canary"))
    let asked = try upstream.expect()
    #expect(asked.contains(#""method":"canary""#), "\(asked.prefix(300))", sourceLocation: sourceLocation)
    let id = try #require(asked.upstreamID, sourceLocation: sourceLocation)
    try upstream.answer(id, "sung")
    #expect(
      try client.expect() == #"{"jsonrpc":"2.0","id":4711,"result":"sung"}"#, sourceLocation: sourceLocation)
  }

  /// The request that has been in flight all the time is answered, once.
  func expectBystanderUnharmed(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try upstream.answer(held, "unharmed")
    #expect(
      try bystander.expect() == #"{"jsonrpc":"2.0","id":1,"result":"unharmed"}"#,
      sourceLocation: sourceLocation)
    #expect(try bystander.isInStep(), sourceLocation: sourceLocation)
  }

  /// How many tasks a key has, as the bystander sees it.
  func taskCount(ofKey key: String) throws -> Int {
    let lane = try bystander.call(
      #"{"jsonrpc":"2.0","id":2,"method":"lastword.inspect","params":{"key":"\#(key)"}}"#)
    return try Int(#require(lane.firstMatch(of: /"count":(\d+)/)).1)!
  }

  /// The ids of the cancels that upstream has heard, and it has heard of nothing else.
  func upstreamHeard() throws -> [Int] {
    try bystander.send(#"{"jsonrpc":"2.0","method":"end"}"#)
    var cancels: [Int] = []
    while true {
      let asked = try upstream.asked()
      if asked.method == "end" { return cancels }
      cancels.append(try #require(asked.cancelled))
    }
  }

  /// Gives the gateway turns of its loop, as many as there are pings.
  func passTurns(_ count: Int) throws {
    for _ in 0..<count { #expect(try bystander.isInStep()) }
  }
}

extension String {
  /// Whether it is the error reply to the request whose id is spelled so.
  func isError(_ code: Int, id: String) -> Bool {
    hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"#)
  }

  /// The id of a request as upstream gets it.
  var upstreamID: Int? {
    let start = #"{"jsonrpc":"2.0","id":"#
    return hasPrefix(start) ? Int(dropFirst(start.count).prefix { $0.isNumber }) : nil
  }
}

/// Bytes that a row sends, and what to call them.
struct Input: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]

  init(_ name: String, _ bytes: [UInt8]) {
    testDescription = name
    self.bytes = bytes
  }

  init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
  init(_ text: String) { self.init(text, text) }
}
