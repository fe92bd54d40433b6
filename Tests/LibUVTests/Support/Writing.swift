import LibUV

extension ByteStream {
  /// One vectored write of all `chunks`.
  @discardableResult
  func write(_ chunks: [[UInt8]]) -> Int {
    let all = chunks.flatMap { $0 }
    return all.withUnsafeBytes { bytes in
      var start = 0
      let slices = chunks.map { chunk in
        defer { start += chunk.count }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + chunk.count])
      }
      return slices.withUnsafeBufferPointer { write($0) }
    }
  }

  @discardableResult
  func write(_ text: String) -> Int { write([Array(text.utf8)]) }
}

/// Bytes that show whether any were lost, doubled or moved.
func numberedBytes(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }
}

/// Writes more than a connection takes at once, going on whenever it can.
final class Pump {
  private let stream: ByteStream
  private let bytes: [UInt8]
  private let chunkBytes: Int
  private(set) var acceptedBytes = 0
  private(set) var calls = 0

  init(_ bytes: [UInt8], to stream: ByteStream, chunkBytes: Int) {
    self.bytes = bytes
    self.stream = stream
    self.chunkBytes = chunkBytes
  }

  var isDone: Bool { acceptedBytes == bytes.count }

  func pump() {
    guard !isDone else { return }
    calls += 1
    bytes.withUnsafeBytes { all in
      let chunks = stride(from: acceptedBytes, to: all.count, by: chunkBytes).map {
        UnsafeRawBufferPointer(rebasing: all[$0..<min($0 + chunkBytes, all.count)])
      }
      acceptedBytes += chunks.withUnsafeBufferPointer { stream.write($0) }
    }
  }
}
