/// The same connection, whose peer speaks TLS.
extension LineSocket {
  /// The next record, with its header; RFC 8446, section 5.1.
  package func record() throws -> [UInt8] {
    let header = try bytes(5)
    return try header + bytes(Int(header[3]) << 8 | Int(header[4]))
  }

  /// The next bytes, which must come.
  private func bytes(_ count: Int) throws -> [UInt8] {
    while buffer.count < count {
      guard try fill() else { throw Failure(description: "the peer closed the connection") }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }
}
