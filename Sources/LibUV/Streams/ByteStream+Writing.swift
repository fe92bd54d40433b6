import CLibUV
import Glibc

extension ByteStream {
  /// How many bytes are copied at most when the kernel does not take everything at once.
  package static let inFlightLimitBytes = 64 * 1024
  /// How many chunks one system call takes.
  package static let chunksPerCall = 64

  /// Accepted bytes are waiting to be sent; `write` accepts none until `streamBecameWritable`.
  package var isWriting: Bool { inFlight != nil }
  /// How many bytes are waiting to be sent.
  package var inFlightByteCount: Int { inFlight?.byteCount ?? 0 }

  /// Hands as much as possible to the kernel and copies up to `inFlightLimitBytes` of the rest, to be sent as the
  /// peer reads; returns how many bytes that is. When it is not all, `streamBecameWritable` or a failure follows.
  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard isSound, inFlight == nil, !isShutDown else { return 0 }
    // Mostly there is one chunk, and the kernel takes all of it.
    if chunks.count == 1, !chunks[0].isEmpty { return write(only: chunks[0]) }
    return write(ChunkCursor(chunks))
  }

  @inline(__always)
  private func write(only chunk: UnsafeRawBufferPointer) -> Int {
    // libuv has nothing queued, so the bytes may be written directly.
    var descriptor: Int32 = -1
    uv_fileno(handle.cast(), &descriptor)
    let taken = Glibc.write(descriptor, chunk.baseAddress, chunk.count)
    return taken == chunk.count ? taken : writeRest(of: chunk, behind: taken)
  }

  /// - Parameter taken: how many bytes the kernel took; -1: none, for the reason in `errno`.
  @inline(never)
  private func writeRest(of chunk: UnsafeRawBufferPointer, behind taken: Int) -> Int {
    let error = taken < 0 ? errno : 0
    let taken = max(0, taken)
    switch error {
    case 0, EAGAIN, EINTR, ENOBUFS: break
    default:
      failAtTurnEnd(UVError(code: -error))
      return 0
    }
    return withUnsafePointer(to: chunk) {
      var cursor = ChunkCursor(UnsafeBufferPointer(start: $0, count: 1))
      cursor.advance(by: taken)
      return write(cursor)
    }
  }

  @inline(never)
  private func write(_ chunks: ChunkCursor) -> Int {
    var cursor = chunks
    while !cursor.isAtEnd {
      guard handToKernel(&cursor) else {
        if isSound { sendLater(&cursor) }
        break
      }
    }
    return cursor.passedBytes
  }

  /// The same for bytes that lie in one place.
  package func write(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { chunk in
      withUnsafePointer(to: chunk) { write(UnsafeBufferPointer(start: $0, count: 1)) }
    }
  }

  /// Ends our side once all that was accepted is sent; the peer can go on sending.
  package func shutdown() {
    guard isSound, !isShutDown else { return }
    isShutDown = true
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let status = uv_shutdown(request, handle.cast()) { request, status in
      let stream = owner(of: request!.pointee.handle, as: ByteStream.self)
      request!.deallocate()
      if status < 0 { stream.fail(UVError(code: status)) }
    }
    guard status < 0 else { return }
    request.deallocate()
    failAtTurnEnd(UVError(code: status))
  }

  /// Called when libuv has written the copied bytes, or failed. After `ECANCELED` the stream is closed, and the
  /// delegate hears nothing.
  func finishedWriting(_ status: Int32) {
    forgetInFlight()
    if status < 0 { return fail(UVError(code: status)) }
    if isSound { delegate?.streamBecameWritable(self) }
  }

  /// Forgets the write in flight; libuv frees it by itself.
  func forgetInFlight() {
    if countsInFlight { loop.countedInFlightBytes -= inFlightByteCount }
    inFlight = nil
  }

  /// Returns whether the kernel took all that it was offered.
  private func handToKernel(_ cursor: inout ChunkCursor) -> Bool {
    withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: Self.chunksPerCall) { buffers in
      let offered = cursor.list(into: buffers)
      let status = uv_try_write(handle.cast(), buffers.baseAddress, UInt32(offered.buffers))
      guard status >= 0 else {
        if status != UV_EAGAIN.rawValue { failAtTurnEnd(UVError(code: status)) }
        return false
      }
      cursor.advance(by: Int(status))
      return Int(status) == offered.bytes
    }
  }

  private func sendLater(_ cursor: inout ChunkCursor) {
    let before = cursor
    do throws(UVError) {
      inFlight = try InFlightWrite.start(cursor.copyNext(limitBytes: Self.inFlightLimitBytes), on: self)
    } catch {
      cursor = before
      failAtTurnEnd(error)
    }
  }
}
