import Foundation
import TestSupport
import Testing

/// A gateway for sessions of the Model Context Protocol, each of which has a connection of its own to the test's server.
final class MCPServerScene {
  let gateway: RunningGateway
  private let directory: TemporaryDirectory
  private let listener: ListeningSocket
  private let path: String

  init(bounds: String = "") throws {
    directory = try TemporaryDirectory()
    listener = try ListeningSocket()
    path = directory.path + "/lastword.toml"
    let text = ConfigurationFile.text(
      bounds: bounds, listen: "mcpPath = \"/mcp\"",
      upstream: "address = \"\(listener.address)\"\nperConnection = true\ncancel = \"mcp\"")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    gateway = try RunningGateway(["--config", path], listen: [], reachesUpstream: false)
  }

  func connect() throws -> LineSocket { try gateway.connect() }

  /// Has it reload its file with another text instead of this one.
  func reload(_ old: String, as new: String) throws {
    try ConfigurationFile.replace(old, by: new, in: path, of: gateway)
  }

  /// A session that has begun, and the server's end of it.
  func begin() throws -> (session: String, server: LineSocket) {
    let client = try connect()
    try client.send(bytes: MCPSessionTests.post(MCPSessionTests.initialize, nil))
    let server = try listener.accept()
    try server.answer(#require(server.asked().id), "welcome")
    let answer = try client.expectAnswer()
    return (try #require(answer["mcp-session-id"]), server)
  }

  /// Sends a POST over a connection of its own.
  func post(_ content: String, _ session: String, _ fields: String = MCPSessionTests.both) throws
    -> LineSocket
  {
    let client = try connect()
    try client.send(bytes: MCPSessionTests.post(content, session, fields))
    return client
  }

  /// A stream of a session's own.
  func open(_ session: String) throws -> LineSocket {
    let client = try connect()
    try client.send(bytes: MCPSessionTests.open(session))
    #expect(try client.expect().hasPrefix("HTTP/1.1 200"))
    return client
  }
}

/// The fields of a request that takes no stream.
let onlyJSON = "Accept: application/json\r\n"
