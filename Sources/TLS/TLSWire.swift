#if TLS
import CLibSSL

/// Where a session reads ciphertext from and writes it to: memory, in place of a socket.
///
/// OpenSSL's own memory BIOs would copy everything once more, and keep the most that was ever in them.
@safe final class TLSWire {
  /// The input that is still to be read: valid during one call of the engine's.
  @safe @exclusivity(unchecked) private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// What is to be sent.
  @safe @exclusivity(unchecked) var output: [UInt8] = []

  /// Whether some of what came is still to be read.
  var hasInput: Bool { unsafe !input.isEmpty }

  /// Has `body` read of these bytes, which must be valid until it returns.
  func with<Result>(_ bytes: UnsafeRawBufferPointer, _ body: () -> Result) -> Result {
    unsafe input = bytes
    defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
    return body()
  }

  /// A BIO that is this wire, which has to outlive it.
  func makeBIO() -> OpaquePointer? {
    guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(room.count, input.count)
    unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  /// The wire of a BIO, which its session holds meanwhile.
  private static func with<Result>(_ bio: OpaquePointer?, _ body: (TLSWire) -> Result) -> Result {
    unsafe Unmanaged<TLSWire>.fromOpaque(BIO_get_data(bio)!)._withUnsafeGuaranteedRef(body)
  }

  /// Made once, and never freed: the callbacks know their wire by the BIO.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire") else {
      return nil
    }
    unsafe BIO_meth_set_read(method) { bio, room, count in
      unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
      guard count > 0 else { return 0 }
      let taken = unsafe TLSWire.with(bio) {
        unsafe $0.read(into: UnsafeMutableRawBufferPointer(start: room, count: Int(count)))
      }
      guard taken > 0 else {
        // There may be more later.
        unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
      }
      return Int32(taken)
    }
    unsafe BIO_meth_set_write(method) { bio, bytes, count in
      guard count > 0 else { return 0 }
      unsafe TLSWire.with(bio) {
        unsafe $0.output.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }
      return count
    }
    unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return unsafe method
  }()
}

@available(*, unavailable)
extension TLSWire: Sendable {}
#endif
