/// Why nothing more of a connection can be read.
package enum WebSocketFault: Error, Equatable, Sendable, CaseIterable {
  case reservedBits
  case unknownOpcode
  case notMasked
  case masked
  case fragmentedControl
  case longControl
  case continuationOfNothing
  case messageWithinMessage
  case lengthNotShortest
  case lengthOutOfRange
  case closeOfOneByte
  case closeCode
  case closeReason
  case binary
  case notText
  case tooLarge

  /// What the peer is told in a Close frame.
  package var code: WebSocketCloseCode {
    switch self {
    case .binary: .unsupportedData
    case .notText, .closeReason: .invalidText
    case .tooLarge: .tooLarge
    default: .protocolError
    }
  }

  /// A sentence for whoever sent it, short enough for a Close frame.
  package var reason: String {
    switch self {
    case .reservedBits: "a frame has a reserved bit set"
    case .unknownOpcode: "a frame has an opcode that is not known"
    case .notMasked: "a client must mask its frames"
    case .masked: "a server must not mask its frames"
    case .fragmentedControl: "a control frame must not be fragmented"
    case .longControl: "a control frame has more than 125 bytes"
    case .continuationOfNothing: "a frame goes on with a message that was not begun"
    case .messageWithinMessage: "a message begins before the last one has ended"
    case .lengthNotShortest: "the length of a frame is not in its shortest form"
    case .lengthOutOfRange: "the length of a frame has its highest bit set"
    case .closeOfOneByte: "a Close frame has half a code"
    case .closeCode: "a Close frame has a code that must not be sent"
    case .closeReason: "the reason of a Close frame is no UTF-8"
    case .binary: "only text messages are taken"
    case .notText: "a text message is no UTF-8"
    case .tooLarge: "a message is too large"
    }
  }
}
