import TestSupport

/// A client that speaks JSON-RPC over one of the transports.
protocol Caller: AnyObject {
  /// The connection below, for a test that chooses its bytes; of a client that POSTs, that of its newest POST.
  var socket: LineSocket { get }

  /// The bytes that carry a text of JSON over an open connection.
  func carried(_ text: [UInt8]) -> [UInt8]

  func send(text: [UInt8]) throws

  /// Sends the first half of what carries a text, and gives the other half.
  func begin(_ text: String) throws -> [UInt8]

  /// Sends texts of which the later ones may be there before the first is taken up.
  func send(together texts: [String]) throws

  /// The next message; nil once there will be none.
  func receive() throws -> String?

  /// Whether the peer has nothing more to say: only its answer to a ping comes.
  func isInStep(_ canary: String) throws -> Bool

  /// Sends no more, and still reads.
  func finish()

  /// Goes without a word, as by a crash.
  func leave()
}

extension Caller {
  func send(_ text: String) throws { try send(text: Array(text.utf8)) }

  func send(text: [UInt8]) throws { try socket.send(bytes: carried(text)) }

  func send(together texts: [String]) throws {
    try socket.send(bytes: texts.flatMap { carried(Array($0.utf8)) })
  }

  func begin(_ text: String) throws -> [UInt8] {
    let bytes = carried(Array(text.utf8))
    try socket.send(bytes: Array(bytes[..<(bytes.count / 2)]))
    return Array(bytes[(bytes.count / 2)...])
  }

  /// The next message, which must come.
  func expect() throws -> String {
    guard let text = try receive() else { throw NothingMore() }
    return text
  }

  func call(_ text: String) throws -> String {
    try send(text)
    return try expect()
  }

  func reply() throws -> Reply { try Reply(expect()) }

  /// So many replies, in the order of their ids.
  func replies(_ count: Int) throws -> [Reply] {
    try (0..<count).map { _ in try reply() }.sorted { ($0.id ?? 0) < ($1.id ?? 0) }
  }

  func isInStep() throws -> Bool { try isInStep("canary") }

  func isInStep(_ canary: String) throws -> Bool { try call(Self.ping(canary)) == Self.pong(canary) }

  static func ping(_ id: String) -> String { #"{"jsonrpc":"2.0","id":"\#(id)","method":"lastword.ping"}"# }
  static func pong(_ id: String) -> String { #"{"jsonrpc":"2.0","id":"\#(id)","result":null}"# }

  func finish() { socket.finish() }
  func leave() { socket.reset() }
}

struct NothingMore: Error, CustomStringConvertible {
  var description: String { "the peer has ended, or owes nothing more" }
}

extension LineSocket: Caller {
  var socket: LineSocket { self }
  func carried(_ text: [UInt8]) -> [UInt8] { text + [0x0a] }
  func leave() { reset() }
}
