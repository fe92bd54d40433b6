import CLibUV

extension ByteStream {
  /// What is copied at most when the kernel does not take everything at once.
  package static let inFlightLimitBytes = 64 * 1024
  /// How many chunks one system call takes.
  package static let chunksPerCall = 64

  /// Accepted bytes are waiting to be sent; `write` accepts none until `streamBecameWritable`.
  package var isWriting: Bool { inFlight != nil }
  /// How much that is.
  package var inFlightByteCount: Int { inFlight?.byteCount ?? 0 }

  /// Hands as much as possible to the kernel and copies up to `inFlightLimitBytes` of the rest, to be sent as the
  /// peer reads; returns how many bytes that is. When it is not all, `streamBecameWritable` or a failure follows.
  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard isSound, inFlight == nil, !isShutDown else { return 0 }
    var cursor = ChunkCursor(chunks)
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

  /// libuv's word on what had been copied; `ECANCELED` when the stream was closed, and then nobody hears it.
  func finishedWriting(_ status: Int32) {
    forgetInFlight()
    if status < 0 { return fail(UVError(code: status)) }
    if isSound { delegate?.streamBecameWritable(self) }
  }

  /// libuv lets go of it by itself.
  func forgetInFlight() {
    if countsInFlight { loop.inFlightBytes -= inFlightByteCount }
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
