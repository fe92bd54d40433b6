import TestSupport

/// What the admin pages answer.
struct AdminAnswer {
  let status: Int
  /// By name, in small letters.
  let fields: [String: String]
  let body: String

  struct NoAnswer: Error, CustomStringConvertible {
    let description: String
  }

  /// Asks on a connection of its own.
  init(to method: String, _ path: String, _ fields: [String] = [], from address: String?) throws {
    guard let address else { throw NoAnswer(description: "there are no admin pages") }
    let socket = try LineSocket(address)
    let usual = ["Host: \(address.hasPrefix("unix:") ? "any" : address)"]
    let host = fields.contains { $0.hasPrefix("Host:") } ? [] : usual
    let lines = ["\(method) \(path) HTTP/1.1"] + host + fields + ["Connection: close", "", ""]
    try socket.send(bytes: Array(lines.joined(separator: "\r\n").utf8))
    self = try AdminAnswer(allOf: socket)
  }

  /// What comes until the peer closes.
  init(allOf socket: LineSocket) throws {
    var lines: [Substring] = []
    while let line = try socket.receive() { lines.append(line.hasSuffix("\r") ? line.dropLast() : line[...]) }
    guard let first = lines.first?.split(separator: " "), first.count > 1, first[0] == "HTTP/1.1",
      let status = Int(first[1]), let end = lines.firstIndex(of: "")
    else { throw NoAnswer(description: "no HTTP: \(lines.prefix(3))") }
    self.status = status
    var fields: [String: String] = [:]
    for line in lines[1..<end] {
      let parts = line.split(separator: ":", maxSplits: 1)
      fields[parts[0].lowercased()] = String(parts[1].dropFirst())
    }
    self.fields = fields
    // Its last line break is not among the lines.
    body = lines[(end + 1)...].joined(separator: "\n")
  }
}

extension RunningGateway {
  func get(_ path: String, _ fields: String...) throws -> AdminAnswer {
    try AdminAnswer(to: "GET", path, fields, from: adminAddress)
  }

  func post(_ path: String) throws -> AdminAnswer { try AdminAnswer(to: "POST", path, from: adminAddress) }

  /// Asks again and again until the answer has a status.
  func awaitReadiness(_ status: Int) throws -> String {
    try eventually("/readyz answers \(status)") {
      let answer = try get("/readyz")
      return answer.status == status ? answer.body : nil
    }
  }
}
