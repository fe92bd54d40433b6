/// The head of a frame that is sent, at most 14 bytes (RFC 6455 section 5.2).
package struct WebSocketFrameHead: Equatable, Sendable {
  /// The most bytes of a head: 2, a length of 8, and a mask.
  package static let longestByteCount = 14

  /// The first byte lowest.
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  package private(set) var count = 0

  /// Of a frame of a text message.
  /// - Parameters:
  ///   - byteCount: how many bytes follow, 0 or more.
  ///   - isFirst: the message begins with it.
  ///   - isLast: the message ends with it.
  ///   - mask: what the bytes that follow are masked with; nil: they are not, as those of a server.
  package init(
    textBytes byteCount: Int, isFirst: Bool = true, isLast: Bool = true, mask: WebSocketMask? = nil
  ) {
    self.init(isFirst ? .text : .continuation, byteCount, isLast: isLast, mask)
  }

  init(_ opcode: WebSocketOpcode, _ byteCount: Int, isLast: Bool = true, _ mask: WebSocketMask?) {
    append(UInt64(opcode.rawValue | (isLast ? 0x80 : 0)), byteCount: 1)
    let maskBit: UInt64 = mask == nil ? 0 : 0x80
    switch byteCount {
    case ...125: append(maskBit | UInt64(byteCount), byteCount: 1)
    case ...0xFFFF:
      append(maskBit | 126 | UInt64(UInt16(byteCount).byteSwapped) &<< 8, byteCount: 3)
    default:
      append(maskBit | 127, byteCount: 1)
      append(UInt64(byteCount).byteSwapped, byteCount: 8)
    }
    if let mask { append(UInt64(mask.bits), byteCount: 4) }
  }

  /// - Parameter index: below `count`.
  package subscript(index: Int) -> UInt8 {
    precondition(0 <= index && index < count, "the head is shorter")
    let word = index < 8 ? low : high
    return UInt8(truncatingIfNeeded: word &>> UInt64(index & 7 &* 8))
  }

  package func append(to output: inout [UInt8]) {
    output.append(addingCapacity: 16) { output in
      // Both words fit; of the second not all is the head's.
      unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
        let buffer = UnsafeMutableRawBufferPointer(buffer)
        unsafe buffer.storeBytes(of: low.littleEndian, toByteOffset: 0, as: UInt64.self)
        unsafe buffer.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
        initializedCount = count
      }
    }
  }

  /// - Parameter bytes: the first of them lowest.
  private mutating func append(_ bytes: UInt64, byteCount: Int) {
    let shift = UInt64(count &* 8)
    if count < 8 { low |= bytes << shift }
    high |= count < 8 ? bytes >> (64 - shift) : bytes << (shift - 64)
    count &+= byteCount
  }
}
