import GatewayCore
import LibUV

/// What leads to a client.
enum ClientCarrier {
  case none
  /// A TCP or Unix socket, as nearly all are. Those are called directly: a protocol in between would cost each request.
  case open(OpenStream)
  /// Anything else. It lies apart, so that there is room for a reference and no more in each of thousands of these.
  indirect case transport(any ClientTransport)

  static func stream(_ stream: ByteStream) -> ClientCarrier { .open(OpenStream(stream)) }

  /// Returns how many bytes were taken.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    switch self {
    case .none: 0
    case .open(let open): unsafe open.write(chunks)
    case .transport(let transport): unsafe transport.write(chunks)
    }
  }

  /// The same for bytes that lie in one place.
  func write(_ bytes: [UInt8]) -> Int {
    // Both pointers are valid during the call, and nothing of them is kept.
    unsafe bytes.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) { unsafe write(UnsafeBufferPointer(start: $0, count: 1)) }
    }
  }

  /// Where the client is, as ADDRESS:PORT; nil: nobody knows.
  var peerAddress: String? {
    switch self {
    case .none: nil
    case .open(let open): open.stream.peerAddress
    case .transport(let transport): transport.peerAddress
    }
  }

  /// How it reaches the gateway; nil: it does so no more.
  var way: ClientWay? {
    switch self {
    case .none: nil
    case .open: ClientWay(.stream)
    case .transport(let transport): transport.way
    }
  }

  /// How many bytes were taken and have not left.
  var inFlightByteCount: Int {
    switch self {
    case .none: 0
    case .open(let open): open.stream.inFlightByteCount
    case .transport(let transport): transport.inFlightByteCount
    }
  }

  /// Reads no further, or goes on.
  func setReading(_ isReading: Bool) {
    switch self {
    case .none: break
    case .open(let open): if isReading { open.stream.startReading() } else { open.stream.stopReading() }
    case .transport(let transport): transport.setReading(isReading)
    }
  }

  /// Closes it at once, with what was taken and has not left.
  func drop() {
    switch self {
    case .none: break
    case .open(let open): open.stream.close()
    case .transport(let transport): transport.drop()
    }
  }
}
