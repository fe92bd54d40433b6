/// A frame of a WebSocket, unmasked (RFC 6455 section 5.2).
package struct SeenFrame: Equatable, Sendable {
  package let opcode: UInt8
  package let isLast: Bool
  package let content: [UInt8]

  package init(_ opcode: UInt8, _ content: [UInt8], isLast: Bool = true) {
    self.opcode = opcode
    self.content = content
    self.isLast = isLast
  }
}

/// The same connection as a WebSocket, whose bytes are those of the test and not those of the module under test.
extension LineSocket {
  /// A frame as a client sends it; with a mask of nil it is one that a client must not send.
  package static func frame(
    _ opcode: UInt8, _ content: [UInt8], isLast: Bool = true, mask: [UInt8]? = [0x37, 0xfa, 0x21, 0x3d]
  ) -> [UInt8] {
    var bytes = [(isLast ? 0x80 : 0) | opcode]
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    switch content.count {
    case ...125: bytes.append(maskBit | UInt8(content.count))
    case ...0xffff: bytes += [maskBit | 126, UInt8(content.count >> 8), UInt8(content.count & 0xff)]
    default:
      bytes.append(maskBit | 127)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: content.count >> ((7 - $0) * 8)) }
    }
    guard let mask else { return bytes + content }
    return bytes + mask + masked(content, mask)
  }

  /// RFC 6455 section 5.3, eight bytes at a time: tests send megabytes, and are not optimized.
  private static func masked(_ content: [UInt8], _ mask: [UInt8]) -> [UInt8] {
    var masked = content
    let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(mask[$1 % 4]) << UInt64($1 * 8) }
    masked.withUnsafeMutableBytes { bytes in
      var offset = 0
      while offset + 8 <= bytes.count {
        let plain = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
        bytes.storeBytes(of: (plain ^ word).littleEndian, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      while offset < bytes.count {
        bytes[offset] ^= mask[offset % 4]
        offset += 1
      }
    }
    return masked
  }

  /// The next frame, which must not be masked; nil once the peer has closed.
  package func seenFrame() throws -> SeenFrame? {
    guard let first = try taken(2) else { return nil }
    guard first[0] & 0x70 == 0, first[1] & 0x80 == 0 else {
      throw Failure(description: "a wrong head: \(first)")
    }
    var length = Int(first[1])
    if length > 125 {
      let bytes = try taken(length == 126 ? 2 : 8) ?? []
      length = bytes.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let content = try taken(length) else {
      throw Failure(description: "the peer closed the connection in a frame")
    }
    return SeenFrame(first[0] & 0x0f, content, isLast: first[0] & 0x80 != 0)
  }

  /// The status of the next response, and its fields, their names in small letters; nil once the peer has closed.
  package func responseHead() throws -> (status: Int, fields: [String: String])? {
    guard let line = try receive() else { return nil }
    guard line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9).prefix(3)) else {
      throw Failure(description: "no response: \(line)")
    }
    var fields: [String: String] = [:]
    while case let field = try expect(), field != "\r" {
      guard let colon = field.firstIndex(of: ":"), field.hasSuffix("\r") else {
        throw Failure(description: "a wrong field: \(field)")
      }
      fields[field[..<colon].lowercased()] = String(field[colon...].dropFirst(2).dropLast())
    }
    return (status, fields)
  }

  /// So many bytes; nil if the peer closed before the first.
  package func taken(_ count: Int) throws -> [UInt8]? {
    while buffer.count < count {
      if try fill() { continue }
      guard buffer.isEmpty else { throw Failure(description: "the peer closed the connection in between") }
      return nil
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }
}
