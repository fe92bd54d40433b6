/// One request as the server of a test has read it.
struct HTTPTestRequest: Sendable {
  /// Counted from 1, over all of the server's.
  var connection = 0
  /// Which one of its connection's, counted from 1.
  var number = 0
  /// Method, path and version.
  var line = ""
  /// `name: value`, names in small letters.
  var headers: [String] = []
  var body: [UInt8] = []

  func values(of name: String) -> [String] {
    headers.filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}

/// Reads a connection's requests, one after the other.
struct HTTPTestReader {
  private let socket: TestSocket
  private var unread: [UInt8] = []

  init(_ socket: TestSocket) { self.socket = socket }

  /// Nil once the client is gone.
  mutating func next() -> HTTPTestRequest? {
    guard let head = nextHead() else { return nil }
    var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    guard !lines.isEmpty else { return nil }
    var request = HTTPTestRequest(line: lines.removeFirst())
    request.headers = lines.map { line in
      let name = line.prefix { $0 != ":" }
      return name.lowercased() + line.dropFirst(name.count)
    }
    // A GET and a DELETE have no content.
    let usual = request.line.hasPrefix("POST ") ? nil : 0
    guard let length = request.values(of: "content-length").first.flatMap(Int.init) ?? usual else {
      return nil
    }
    while unread.count < length { guard readMore() else { return nil } }
    request.body = Array(unread.prefix(length))
    unread.removeFirst(length)
    return request
  }

  private mutating func nextHead() -> [UInt8]? {
    let end = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      // A TLS hello: no line would ever end.
      if unread.first == 0x16 { return nil }
      while searched + end.count <= unread.count {
        if unread[searched..<searched + end.count].elementsEqual(end) {
          defer { unread.removeFirst(searched + end.count) }
          return Array(unread.prefix(searched))
        }
        searched += 1
      }
      guard readMore() else { return nil }
    }
  }

  private mutating func readMore() -> Bool {
    let bytes = socket.receive()
    unread += bytes
    return !bytes.isEmpty
  }
}
