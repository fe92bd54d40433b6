/// A response of HTTP/1.1, as it came.
package struct HTTPAnswer: CustomStringConvertible {
  package let status: Int
  /// Names in small letters.
  package let fields: [(name: String, value: String)]
  package let content: String

  /// The value of a field that must not stand there twice; nil: it is not there.
  package subscript(_ name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.count > 1 ? "TWICE: \(values)" : values.first
  }

  package var description: String { "\(status) \(fields) \(content.prefix(300))" }
}

/// The same connection, whose peer answers by HTTP/1.1.
extension LineSocket {
  /// The next response; nil once the peer has closed.
  /// - Parameter isToHead: it answers HEAD, and has no content.
  package func answer(isToHead: Bool = false) throws -> HTTPAnswer? {
    guard let line = try receive() else { return nil }
    guard line.hasPrefix("HTTP/1.1 "), line.hasSuffix("\r"), let status = Int(line.dropFirst(9).prefix(3))
    else {
      throw Failure(description: "no response: \(line)")
    }
    var fields: [(name: String, value: String)] = []
    while true {
      let line = try crlfLine()
      if line.isEmpty { break }
      guard let colon = line.firstIndex(of: ":") else { throw Failure(description: "no field: \(line)") }
      fields.append(
        (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " })))
    }
    let isBare = isToHead || status < 200 || status == 204
    return HTTPAnswer(
      status: status, fields: fields,
      content: isBare ? "" : try content(fields.map { "\($0.name): \($0.value)" }))
  }

  /// The next response, which must come.
  package func expectAnswer(isToHead: Bool = false) throws -> HTTPAnswer {
    guard let answer = try answer(isToHead: isToHead) else {
      throw Failure(description: "the peer closed the connection")
    }
    return answer
  }

  private func content(_ fields: [String]) throws -> String {
    if fields.contains("transfer-encoding: chunked") { return try chunks() }
    let name = "content-length: "
    if let length = fields.first(where: { $0.hasPrefix(name) }).flatMap({ Int($0.dropFirst(name.count)) }) {
      return String(decoding: try take(length), as: UTF8.self)
    }
    while try fill() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  private func chunks() throws -> String {
    var content: [UInt8] = []
    while true {
      let line = try crlfLine()
      guard let size = Int(line, radix: 16) else { throw Failure(description: "no size of a chunk: \(line)") }
      content += try take(size)
      guard try crlfLine().isEmpty else { throw Failure(description: "a chunk that does not end") }
      if size == 0 { return String(decoding: content, as: UTF8.self) }
    }
  }

  private func crlfLine() throws -> Substring {
    guard let line = try receive() else {
      throw Failure(description: "the peer closed the connection in a response")
    }
    // CR and LF are one character, which is not how `receive` has cut it.
    guard line.utf8.last == 0x0d else { throw Failure(description: "an LF without CR: \(line)") }
    return Substring(String(decoding: line.utf8.dropLast(), as: UTF8.self))
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count {
      guard try fill() else { throw Failure(description: "the peer closed the connection in a content") }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }
}
