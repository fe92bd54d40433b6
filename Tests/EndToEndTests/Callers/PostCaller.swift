import Foundation
import TestSupport
import Testing

/// A client that sends each of its messages by a POST, all of one session, over as many connections as it takes.
///
/// The next is sent once the one before was taken up, as else there would be no order between them.
final class PostCaller: Caller {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private let address: String
  private let field = "Lastword-Session: \(UUID().uuidString)\r\n"
  private(set) var socket: LineSocket
  /// Another client, by whose pings it is known what the gateway has read.
  private let attendant: LineSocket
  /// Connections whose POST is not answered yet, the oldest first.
  private var waiting: [LineSocket] = []
  /// Connections for further POSTs.
  private var idle: [LineSocket]
  /// What came and was not asked for yet.
  private var heard: [String] = []
  private var hasFinished = false

  init(to address: String) throws {
    self.address = address
    socket = try LineSocket(address)
    attendant = try LineSocket(address)
    idle = [socket]
    try awaitTakenUp()
  }

  // MARK: Sending

  func carried(_ text: [UInt8]) -> [UInt8] {
    Array(
      """
      POST / HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/json\r
      \(field)Content-Length: \(text.count)\r
      \r\n
      """.utf8) + text
  }

  func send(text: [UInt8]) throws {
    try post(carried(text))
    try awaitTakenUp()
  }

  func send(together texts: [String]) throws {
    for text in texts { try post(carried(Array(text.utf8))) }
  }

  func begin(_ text: String) throws -> [UInt8] {
    let bytes = carried(Array(text.utf8))
    // Of the content, too, there is something.
    let count = bytes.count - text.utf8.count / 2
    try post(Array(bytes[..<count]))
    return Array(bytes[count...])
  }

  private func post(_ bytes: [UInt8]) throws {
    idle.removeAll { $0.isClosedByPeer() }
    socket = try idle.popLast() ?? LineSocket(address)
    socket.sendAtOnce()
    try socket.send(bytes: bytes)
    waiting.append(socket)
  }

  /// What lies in the kernel when the gateway is asked is read in the same turn at the latest.
  private func awaitTakenUp() throws {
    try attendant.send(bytes: PostScene.post(PostScene.ping))
    guard try attendant.expectAnswer().status == 200 else { throw Failure(description: "no ping") }
  }

  // MARK: Hearing

  func receive() throws -> String? {
    while heard.isEmpty, !waiting.isEmpty { try hear(LineSocket.awaitNews(of: waiting)) }
    if !heard.isEmpty { return heard.removeFirst() }
    for connection in hasFinished ? idle + [attendant] : [] where try connection.answer() != nil {
      throw Failure(description: "an answer to nothing")
    }
    return nil
  }

  /// Takes the answer of one that has something to say.
  private func hear(_ connection: LineSocket) throws {
    waiting.removeAll { $0 === connection }
    // Without one the gateway has given it up.
    guard let answer = try connection.answer() else { return }
    if answer["connection"] == "close" {
      guard try connection.answer() == nil else { throw Failure(description: "more after the last answer") }
    } else {
      idle.append(connection)
    }
    guard answer.status != 202 else {
      guard answer.content.isEmpty else { throw Failure(description: "a reply to none: \(answer)") }
      return
    }
    guard answer.content.hasSuffix("\n"), answer["content-type"] == "application/json" else {
      throw Failure(description: "no reply: \(answer)")
    }
    heard.append(String(answer.content.dropLast()))
  }

  func isInStep(_ canary: String) throws -> Bool {
    try send(Self.ping(canary))
    try hear(socket)
    for connection in waiting where connection.hasNews { try hear(connection) }
    defer { heard = [] }
    return heard == [Self.pong(canary)]
  }

  // MARK: Ending

  func finish() {
    hasFinished = true
    for connection in waiting + idle + [attendant] { connection.finish() }
  }

  func leave() { for connection in waiting { connection.reset() } }
}
