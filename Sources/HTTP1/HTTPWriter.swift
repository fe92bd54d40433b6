/// Spells heads and chunks out. What it is given are the program's own words: fields must hold no line break.
package enum HTTPWriter {
  package static func head(
    _ status: HTTPStatus, _ fields: some Sequence<(String, String)>, into output: inout [UInt8]
  ) {
    output.append(contentsOf: "HTTP/1.1 \(status.rawValue) \(status.name)\r\n".utf8)
    for (name, value) in fields { output.append(contentsOf: "\(name): \(value)\r\n".utf8) }
    output.append(contentsOf: "\r\n".utf8)
  }

  /// One chunk of a content (RFC 9112 section 7.1). There is none without bytes: that would be the end.
  package static func chunk(_ bytes: some Collection<UInt8>, into output: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    output.append(contentsOf: "\(String(bytes.count, radix: 16))\r\n".utf8)
    output.append(contentsOf: bytes)
    output.append(contentsOf: "\r\n".utf8)
  }

  /// The end of a content of chunks.
  package static func lastChunk(into output: inout [UInt8]) { output.append(contentsOf: "0\r\n\r\n".utf8) }
}
