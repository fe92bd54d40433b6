import TestSupport

/// A client that numbers its requests, answers what the server asks, and keeps what comes until the test looks.
final class Peer {
  enum Framing { case lines, contentLength }

  private let socket: LineSocket
  private let framing: Framing
  private var lastID = 0
  /// Every reply, in the order in which they came.
  private(set) var replies: [Message] = []
  /// What the server said and asked of itself.
  private(set) var heard: [Message] = []

  init(_ socket: LineSocket, _ framing: Framing) {
    self.socket = socket
    self.framing = framing
  }

  // MARK: Saying

  func send(_ texts: [String]) throws {
    let framed = texts.map { framing == .lines ? $0 + "\n" : "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }
    try socket.send(bytes: Array(framed.joined().utf8))
  }

  /// A request as it is sent, and its id.
  func request(_ method: String, _ params: [String: Any]?, task: [String: Any]? = nil) throws -> (Int, String)
  {
    lastID += 1
    var object: [String: Any] = ["id": lastID, "method": method]
    object["params"] = params
    object["task"] = task
    return (lastID, try Message.text(object))
  }

  @discardableResult
  func ask(_ method: String, _ params: [String: Any]?, task: [String: Any]? = nil) throws -> Int {
    let (id, text) = try request(method, params, task: task)
    try send([text])
    return id
  }

  func notify(_ method: String, _ params: [String: Any] = [:]) throws {
    try send([Message.text(["method": method, "params": params])])
  }

  func call(_ method: String, _ params: [String: Any]?) throws -> Message {
    try reply(to: ask(method, params))
  }

  // MARK: Hearing

  /// Reads on until the request is answered.
  func reply(to id: Int) throws -> Message {
    while true {
      if let reply = replies.first(where: { $0.id == "\(id)" }) { return reply }
      try hear()
    }
  }

  /// Reads on until the server has said or asked this.
  func awaitMessage(_ method: String, where holds: (Message) -> Bool = { _ in true }) throws -> Message {
    while true {
      if let message = heard.first(where: { $0.method == method && holds($0) }) { return message }
      try hear()
    }
  }

  /// Reads on to the end, which the gateway has to make.
  func awaitEnd() throws {
    while let message = try receive() { try take(message) }
  }

  private func receive() throws -> Message? {
    try (framing == .lines ? socket.receive() : socket.receiveFrame()).map(Message.init)
  }

  private func hear() throws {
    guard let message = try receive() else {
      throw RealServers.Failure(description: "the gateway has closed the connection")
    }
    try take(message)
  }

  private func take(_ message: Message) throws {
    if message.method == nil {
      replies.append(message)
    } else {
      heard.append(message)
      if let id = message.id { try send([#"{"jsonrpc":"2.0","id":\#(id),"result":null}"#]) }
    }
  }

  func close() { socket.close() }
}
