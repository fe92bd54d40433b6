import WebSocket

/// One frame of a test, spelled out plainly, as either end sends it.
struct Frame {
  enum LengthForm {
    case shortest
    case inTwoBytes
    case inEightBytes
  }

  /// The example of RFC 6455 section 5.7.
  static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

  private let start: [UInt8]
  private let lengthCode: UInt8?
  private let lengthBytes: [UInt8]
  private let content: [UInt8]?

  /// - Parameter byteCount: what its head says it has, where not all of that comes.
  init(_ first: UInt8, _ content: [UInt8], of byteCount: Int? = nil, _ form: LengthForm = .shortest) {
    let count = byteCount ?? content.count
    start = [first]
    self.content = content
    switch form {
    case .shortest where count < 126: (lengthCode, lengthBytes) = (UInt8(count), [])
    case .shortest where count < 65536, .inTwoBytes: (lengthCode, lengthBytes) = (126, Self.bytes(count, 2))
    default: (lengthCode, lengthBytes) = (127, Self.bytes(count, 8))
    }
  }

  init(_ first: UInt8, _ text: String) { self.init(first, Array(text.utf8)) }

  /// The first bytes of a frame, of which no more comes.
  init(first: UInt8, lengthCode: UInt8? = nil, lengthBytes: [UInt8] = []) {
    start = [first]
    self.lengthCode = lengthCode
    self.lengthBytes = lengthBytes
    content = nil
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// As the other end sends it to `reader`.
  func bytes(to reader: WebSocketEnd) -> [UInt8] {
    let isMasked = reader == .server
    let head = start + (lengthCode.map { [$0 | (isMasked ? 0x80 : 0)] } ?? []) + lengthBytes
    guard let content else { return head }
    guard isMasked else { return head + content }
    return head + Self.mask + content.enumerated().map { $1 ^ Self.mask[$0 % 4] }
  }
}

extension [Frame] {
  func bytes(to reader: WebSocketEnd) -> [UInt8] { flatMap { $0.bytes(to: reader) } }
}
