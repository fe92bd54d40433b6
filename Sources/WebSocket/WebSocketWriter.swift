/// Spells whole frames out (RFC 6455 section 5). A client gives each a mask that nobody can guess; a server gives none.
package enum WebSocketWriter {
  /// How many bytes the reason of a Close may have.
  package static let reasonLimitBytes = Int(WebSocketFrame.controlLimitBytes) - 2

  /// A whole message in one frame.
  /// - Parameter bytes: UTF-8.
  package static func text(_ bytes: Span<UInt8>, mask: WebSocketMask? = nil, into output: inout [UInt8]) {
    write(.text, bytes, mask, into: &output)
  }

  /// - Parameter bytes: of more than 125 the first 125 are taken.
  package static func ping(_ bytes: Span<UInt8>, mask: WebSocketMask? = nil, into output: inout [UInt8]) {
    writeControl(.ping, bytes, mask, into: &output)
  }

  /// - Parameter bytes: those of the Ping; of more than 125 the first 125 are taken.
  package static func pong(_ bytes: Span<UInt8>, mask: WebSocketMask? = nil, into output: inout [UInt8]) {
    writeControl(.pong, bytes, mask, into: &output)
  }

  /// - Parameters:
  ///   - code: nil: none, and no reason.
  ///   - reason: of more than 123 bytes as many characters as fit are taken.
  package static func close(
    _ code: WebSocketCloseCode?, reason: String = "", mask: WebSocketMask? = nil, into output: inout [UInt8]
  ) {
    guard let code else { return writeControl(.close, [UInt8]().span, mask, into: &output) }
    var content = [UInt8(truncatingIfNeeded: code.number >> 8), UInt8(truncatingIfNeeded: code.number)]
    for character in reason {
      guard content.count + character.utf8.count <= Int(WebSocketFrame.controlLimitBytes) else { break }
      content.append(contentsOf: character.utf8)
    }
    writeControl(.close, content.span, mask, into: &output)
  }

  private static func writeControl(
    _ opcode: WebSocketOpcode, _ bytes: Span<UInt8>, _ mask: WebSocketMask?, into output: inout [UInt8]
  ) {
    write(opcode, bytes.extracting(first: Int(WebSocketFrame.controlLimitBytes)), mask, into: &output)
  }

  private static func write(
    _ opcode: WebSocketOpcode, _ bytes: Span<UInt8>, _ mask: WebSocketMask?, into output: inout [UInt8]
  ) {
    WebSocketFrameHead(opcode, bytes.count, mask).append(to: &output)
    guard var mask else {
      // The buffer lives until the closure returns.
      return unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
    }
    mask.append(bytes.indices, of: bytes, to: &output)
  }
}
