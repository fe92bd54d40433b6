import CLibUV

/// Hears what happens to a stream, on its loop. After `close()` it hears nothing more.
package protocol ByteStreamDelegate: AnyObject {
  /// `bytes` lies in the loop's shared buffer and is valid only during the call. Only the first `count` were
  /// received; behind them lie `EventLoop.slackByteCount` readable bytes of no meaning.
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int)
  /// FIN: the peer sends no more; writing still works.
  func streamEnded(_ stream: ByteStream)
  /// A reset or a failed write. The delegate closes the stream.
  func stream(_ stream: ByteStream, failed error: UVError)
  /// What `write` had accepted is gone: it accepts again.
  func streamBecameWritable(_ stream: ByteStream)
}

/// A TCP or Unix-domain connection.
package final class ByteStream {
  /// Bytes read from one stream in one turn of the loop; then it is the others' turn.
  package static let readLimitPerTurnBytes = 256 * 1024
  /// Bytes that a write keeps for the kernel when the socket is full.
  package static let inFlightLimitBytes = 256 * 1024
  /// Chunks of one write.
  static let chunkLimit = 64

  /// The owner's own number for it; nothing here looks at it.
  package var token: UInt32 = 0
  package var delegate: (any ByteStreamDelegate)?
  /// Whether accepted bytes are still on their way to the kernel.
  package private(set) var isWriting = false

  let raw: UnsafeMutablePointer<uv_stream_t>
  private unowned let loop: EventLoop
  private let isTCP: Bool
  private var wantsToRead = false
  private var bytesThisTurn = 0
  private var turn: UInt64 = 0

  init(isTCP: Bool, on loop: EventLoop) throws(UVError) {
    self.loop = loop
    self.isTCP = isTCP
    if isTCP {
      let handle = try Handle<uv_tcp_t> { uv_tcp_init(loop.raw, $0) }
      raw = handle.stream
      handle.attach(self)
    } else {
      let handle = try Handle<uv_pipe_t> { uv_pipe_init(loop.raw, $0, 0) }
      raw = handle.stream
      handle.attach(self)
    }
    loop.giveUpReserveDescriptor()
  }

  /// Small messages leave at once; only meaningful for TCP, and only once connected.
  func connected() {
    if isTCP { uv_tcp_nodelay(cast(raw), 1) }
  }

  private var isClosing: Bool { uv_is_closing(cast(raw)) != 0 }

  // MARK: Reading

  package func startReading() {
    wantsToRead = true
    resume()
  }

  package func stopReading() {
    wantsToRead = false
    uv_read_stop(raw)
  }

  func resume() {
    guard wantsToRead, !isClosing else { return }
    uv_read_start(raw, Self.provideBuffer, Self.didRead)
  }

  private static let provideBuffer: uv_alloc_cb = { handle, _, buffer in
    let loop = owner(of: handle, as: ByteStream.self).loop
    buffer!.pointee.base = UnsafeMutableRawPointer(loop.readBuffer).assumingMemoryBound(to: CChar.self)
    buffer!.pointee.len = EventLoop.readBufferBytes
  }

  private static let didRead: uv_read_cb = { handle, count, _ in
    owner(of: handle, as: ByteStream.self).didRead(count)
  }

  private func didRead(_ count: Int) {
    switch count {
    case 0: break  // libuv's EAGAIN.
    case 1...: received(count)
    case Int(UV_EOF.rawValue):
      wantsToRead = false
      delegate?.streamEnded(self)
    default: delegate?.stream(self, failed: UVError(code: Int32(count)))
    }
  }

  private func received(_ count: Int) {
    let bytes = UnsafeBufferPointer(
      start: loop.readBuffer, count: EventLoop.readBufferBytes + EventLoop.slackByteCount)
    delegate?.stream(self, received: bytes.span, count: count)
    if turn != loop.turn {
      turn = loop.turn
      bytesThisTurn = 0
    }
    bytesThisTurn += count
    if bytesThisTurn >= Self.readLimitPerTurnBytes { rest() }
  }

  private func rest() {
    guard wantsToRead, !isClosing else { return }
    uv_read_stop(raw)
    loop.rested.append(self)
  }

  // MARK: Writing

  /// One vectored write of at most 64 chunks: what the kernel does not take at once is copied, up to
  /// `inFlightLimitBytes`, and sent when it does; `streamBecameWritable` follows. The chunks are the caller's
  /// again on return.
  /// - Returns: how many bytes were accepted; none while earlier ones are in flight.
  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard !isWriting, !isClosing, uv_is_writable(raw) != 0 else { return 0 }
    let chunks = UnsafeBufferPointer(rebasing: chunks.prefix(Self.chunkLimit))
    let total = chunks.reduce(0) { $0 + $1.count }
    // An error is not handled here: the write that follows meets it, too, and reports it later.
    let written = max(0, tryWrite(chunks))
    return written < total ? written + writeLater(chunks, from: written, total: total) : written
  }

  private func tryWrite(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: chunks.count) { buffers in
      for (index, chunk) in chunks.enumerated() {
        let base = UnsafeMutableRawPointer(mutating: chunk.baseAddress)
        buffers.initializeElement(
          at: index, to: uv_buf_t(base: base?.assumingMemoryBound(to: CChar.self), len: chunk.count))
      }
      return Int(uv_try_write(raw, buffers.baseAddress, UInt32(chunks.count)))
    }
  }

  private func writeLater(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, from written: Int, total: Int
  ) -> Int {
    let count = min(total - written, Self.inFlightLimitBytes)
    let request = WriteRequest.make(count)
    var (skip, filled) = (written, 0)
    for chunk in chunks where filled < count {
      let part = chunk.dropFirst(skip).prefix(count - filled)
      skip = max(0, skip - chunk.count)
      WriteRequest.bytes(of: request).advanced(by: filled).copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      filled += part.count
    }
    isWriting = true
    WriteRequest.start(request, count, on: self)
    return count
  }

  func didWrite(_ status: Int32) {
    isWriting = false
    guard !isClosing else { return }
    if status < 0 {
      delegate?.stream(self, failed: UVError(code: status))
    } else {
      delegate?.streamBecameWritable(self)
    }
  }

  // MARK: Ending

  /// Sends FIN once everything accepted has been sent.
  package func shutdown() {
    guard !isClosing else { return }
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let status = uv_shutdown(request, raw) { request, _ in request!.deallocate() }
    if status < 0 { request.deallocate() }
  }

  /// Closes at once; safe to call twice.
  package func close() {
    delegate = nil
    guard !isClosing else { return }
    uv_close(cast(raw), Handle<uv_stream_t>.freed)
  }

  /// Closes so that a TCP peer sees a reset.
  package func reset() {
    delegate = nil
    guard !isClosing else { return }
    guard isTCP, uv_tcp_close_reset(cast(raw), Handle<uv_stream_t>.freed) == 0 else { return close() }
  }
}

@available(*, unavailable)
extension ByteStream: Sendable {}

extension UnsafeMutableRawPointer {
  fileprivate func copyMemory(from bytes: UnsafeRawBufferPointer) {
    if let base = bytes.baseAddress { copyMemory(from: base, byteCount: bytes.count) }
  }
}
