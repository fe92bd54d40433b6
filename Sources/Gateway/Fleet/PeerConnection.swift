import GatewayCore
import JSONRPC
import LibUV
import TLS
import TLSStreams

/// A connection between two members: frames in both directions, each with its length and kind before it.
final class PeerConnection {
  /// What carries them.
  private enum Carrier {
    case plain(ByteStream)
    case secure(TLSStream)
  }

  enum Kind: UInt8 {
    /// The owner's first word: what the asking one has to answer.
    case challenge = 1
    /// The asking member's: its name, and the proof that it knows the secret.
    case hello
    /// The owner's: that it knows it, too.
    case welcome
    case batch
    case ping, pong
    /// The asking one's: the owner is to give all that it has to others.
    case drain
  }

  /// Version of what is said.
  static let version: UInt16 = 1
  /// A longer frame is nobody's.
  static let mostFrameBytes = GatewayConfiguration.Fleet.mostFrameBytes
  /// Once a frame has so many bytes the next event begins another.
  static let sharedFrameBytes = GatewayConfiguration.Fleet.sharedFrameBytes
  /// The same for a frame that comes before the greeting.
  static let mostGreetingBytes = 4 * 1024
  /// With more unsent bytes than this the other member does not keep up.
  static let mostUnsentBytes = 64 * 1024 * 1024
  private static let headBytes = 5

  private let carrier: Carrier
  /// Where the other is, as ADDRESS:PORT.
  let peerAddress: String
  /// Gets the frame's content.
  var onFrame: ((Kind, [UInt8]) -> Void)?
  var onEnd: ((String) -> Void)?
  /// The other member is known.
  var isTrusted = false
  private(set) var input: [UInt8] = []
  private var output: [UInt8] = []
  private var written = 0

  init(_ stream: ByteStream) {
    carrier = .plain(stream)
    peerAddress = stream.peerAddress ?? ""
    stream.delegate = self
    stream.startReading()
  }

  /// Frames sent before both members know each other wait until then.
  init(_ stream: ByteStream, _ engine: TLSEngine, _ scratch: TLSScratch, on loop: EventLoop) {
    peerAddress = stream.peerAddress ?? ""
    let secure = TLSStream(stream, engine, scratch, on: loop)
    carrier = .secure(secure)
    secure.delegate = self
    secure.start()
  }

  var unsentByteCount: Int { output.count - written }
  /// With what has been written and is still kept.
  var keptByteCount: Int { output.count }
  var isBehind: Bool { unsentByteCount >= Self.mostUnsentBytes }
  /// Since the start.
  private(set) var receivedByteCount: UInt64 = 0

  func close() {
    onFrame = nil
    onEnd = nil
    switch carrier {
    case .plain(let stream): stream.close()
    case .secure(let stream): stream.close()
    }
  }

  private func end(_ reason: String) {
    let onEnd = onEnd
    close()
    onEnd?(reason)
  }

  // MARK: Saying

  func send(_ kind: Kind, _ content: (inout WireWriter) -> Void) {
    var wire = WireWriter(behind: output)
    output = []
    wire.frame(kind.rawValue, content)
    output = wire.bytes
    flush()
  }

  /// In several frames, where it is long.
  func send(_ batch: PeerBatch) {
    var next = 0
    repeat {
      send(.batch) { next = batch.write(from: next, upTo: Self.sharedFrameBytes, into: &$0) }
    } while next < batch.eventCount
  }

  private func flush() {
    guard unsentByteCount > 0 else { return }
    // Valid during the call: what the kernel does not take at once is copied.
    written += unsafe output.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      return unsafe withUnsafePointer(to: rest) {
        unsafe write(UnsafeBufferPointer(start: $0, count: 1))
      }
    }
    if written == output.count {
      output.removeAll(keepingCapacity: output.capacity <= Self.keptBytes)
      written = 0
    } else if written >= Self.mostWrittenBytes, written > unsentByteCount {
      output.removeFirst(written)
      written = 0
    }
  }

  private func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    switch carrier {
    case .plain(let stream): unsafe stream.write(chunks)
    case .secure(let stream): unsafe stream.isSecured ? stream.write(chunks) : 0
    }
  }

  private static let keptBytes = 256 * 1024
  /// Written bytes are cut off the front of the output once they are as many as this, and more than the unsent ones.
  private static let mostWrittenBytes = 64 * 1024

  // MARK: Hearing

  private func received(_ bytes: Span<UInt8>, _ count: Int) {
    receivedByteCount &+= UInt64(count)
    input.append(bytes, 0..<count)
    var offset = 0
    while let frame = nextFrame(at: &offset) {
      guard let (kind, range) = frame else { return }
      onFrame?(kind, Array(input[range]))
      if onFrame == nil { return }
    }
    input.removeFirst(offset)
    if input.isEmpty, input.capacity > Self.keptBytes { input = [] }
  }

  /// The outer nil: there is no whole one. The inner nil: the connection has ended, for there is none to be.
  private func nextFrame(at offset: inout Int) -> (Kind, Range<Int>)?? {
    guard input.count - offset >= Self.headBytes else { return nil }
    var reader = WireReader(input, from: offset)
    guard let count: UInt32 = reader.read(), let number: UInt8 = reader.read() else { return nil }
    let most = isTrusted ? Self.mostFrameBytes : Self.mostGreetingBytes
    guard Int(count) <= most, let kind = Kind(rawValue: number) else {
      end("it says what no member says")
      return .some(nil)
    }
    let start = offset + Self.headBytes
    guard input.count - start >= Int(count) else { return nil }
    offset = start + Int(count)
    return (kind, start..<offset)
  }

  private func ended() { end("it has ended the connection") }
}

extension PeerConnection: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) { received(bytes, count) }
  func streamEnded(_ stream: ByteStream) { ended() }
  func stream(_ stream: ByteStream, failed error: UVError) { end("\(error)") }
  func streamBecameWritable(_ stream: ByteStream) { flush() }
}

extension PeerConnection: TLSStreamDelegate {
  func streamSecured(_ stream: TLSStream) { flush() }
  func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) { received(bytes, count) }
  func streamEnded(_ stream: TLSStream) { ended() }
  func stream(_ stream: TLSStream, failed reason: TLSStreamFault) { end("\(reason)") }
  func streamBecameWritable(_ stream: TLSStream) { flush() }
}

@available(*, unavailable)
extension PeerConnection: Sendable {}
