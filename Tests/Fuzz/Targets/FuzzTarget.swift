/// The things that must hold of whatever bytes come.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// One text: what the scanner says of it, and what the readers make of its parts.
  case scanner
  /// A stream of lines, against a plain reading of it, however it is cut.
  case lines
  /// A stream of bodies with headers, likewise.
  case bodies
  /// A stream of either framing, however it is cut, and the batches in it.
  case messages
  /// A stream of either framing with other text in it, against a plain reading of it, however it is cut.
  case noise
  /// A stream of HTTP requests, however it is cut.
  case http
  /// A stream of WebSocket's frames, however it is cut, or its handshake.
  case websocket
  /// A history of the whole gateway: clients, an upstream, time.
  case core
  /// A text of TOML.
  case toml
  /// A configuration file.
  case configuration
  /// An answer of etcd's, and a record in it.
  case etcd
  /// What a member of a fleet tells another.
  case peer
  /// A message of the Model Context Protocol, and what is read and rewritten of it besides what all messages say.
  case mcp
  #if TLS
  /// Records of TLS that a server is fed.
  case tls
  /// A signed token, its parts, and a file of keys.
  case tokens
  #endif

  package func check(_ input: [UInt8]) throws(Violation) {
    switch self {
    case .scanner: try ScannerCheck(input).run()
    case .lines: try FramedStream(input).checkLines()
    case .bodies: try FramedStream(input).checkBodies()
    case .messages: try FramedStream(input).checkMessages()
    case .noise: try FramedStream(input).checkNoise()
    case .http: try HTTPStream(input).check()
    case .websocket: try WebSocketStream(input).check()
    case .core: try CoreHistory.check(input)
    case .toml: try TOMLCheck(input).run()
    case .configuration: try ConfigurationCheck(input).run()
    case .etcd: try EtcdCheck(input).run()
    case .peer: try PeerCheck(input).run()
    case .mcp: try MCPCheck(input).run()
    #if TLS
    case .tls: try TLSRecords(input).check()
    case .tokens: try TokenCheck(input).run()
    #endif
    }
  }
}

/// Something that should hold and did not.
package struct Violation: Error, CustomStringConvertible {
  package let description: String
}

package func require(_ condition: Bool, _ whatFailed: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(description: whatFailed()) }
}
