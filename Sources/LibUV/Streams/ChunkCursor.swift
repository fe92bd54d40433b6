import CLibUV

/// How far a vectored write has come through its chunks.
struct ChunkCursor {
  private let chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>
  private var index = 0
  private var offset = 0
  private(set) var passedBytes = 0

  init(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) {
    self.chunks = chunks
    skipFinishedChunks()
  }

  var isAtEnd: Bool { index == chunks.count }

  /// Lists what comes next, as much as there is room for; returns how many buffers and bytes that is.
  func list(into buffers: UnsafeMutableBufferPointer<uv_buf_t>) -> (buffers: Int, bytes: Int) {
    var listed = 0
    var bytes = 0
    var from = offset
    for chunk in chunks[index...] {
      if listed == buffers.count { break }
      let rest = UnsafeRawBufferPointer(rebasing: chunk[from...])
      from = 0
      guard let base = rest.baseAddress, !rest.isEmpty else { continue }
      // libuv only reads from it; its buffers just have no const.
      let mutable = UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: CChar.self)
      buffers.initializeElement(at: listed, to: uv_buf_t(base: mutable, len: rest.count))
      listed += 1
      bytes += rest.count
    }
    return (listed, bytes)
  }

  mutating func advance(by count: Int) {
    passedBytes += count
    offset += count
    skipFinishedChunks()
  }

  /// Copies the next bytes, up to `limit`, into memory that the caller frees.
  mutating func copyNext(limitBytes limit: Int) -> UnsafeMutableRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: min(limit, remainingBytes), alignment: 1)
    var filled = 0
    while filled < copy.count {
      let piece = chunks[index][offset...].prefix(copy.count - filled)
      copy[filled...].copyBytes(from: piece)
      filled += piece.count
      advance(by: piece.count)
    }
    return copy
  }

  private var remainingBytes: Int { chunks[index...].reduce(-offset) { $0 + $1.count } }

  private mutating func skipFinishedChunks() {
    while index < chunks.count && offset >= chunks[index].count {
      offset -= chunks[index].count
      index += 1
    }
  }
}
