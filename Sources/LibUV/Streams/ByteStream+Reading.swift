import CLibUV
import Glibc

extension ByteStream {
  /// Bytes and the peer's end reach the delegate until `stopReading()`.
  package func startReading() {
    guard !wantsReading, !hasEnded, isSound else { return }
    wantsReading = true
    let status = reader == .nobody ? startReadingForNobody() : startReadingForDelegate()
    if status < 0 { failAtTurnEnd(UVError(code: status)) }
  }

  private func startReadingForDelegate() -> Int32 {
    uv_read_start(
      handle.cast(),
      { handle, _, buffer in withOwner(of: handle, as: ByteStream.self) { $0.lendBuffer(to: buffer!) } },
      { stream, count, _ in withOwner(of: stream, as: ByteStream.self) { $0.read(count) } })
  }

  /// With callbacks of its own: others need not ask each time.
  private func startReadingForNobody() -> Int32 {
    uv_read_start(
      handle.cast(),
      { handle, _, buffer in
        withOwner(of: handle, as: ByteStream.self) { $0.lendBufferForNobody(to: buffer!) }
      },
      { stream, count, _ in withOwner(of: stream, as: ByteStream.self) { $0.readForNobody(count) } })
  }

  /// From now on what comes is thrown away.
  func goOnForNobody() {
    guard wantsReading else { return }
    stopReading()
    startReading()
  }

  /// Stops reading, also from within a call to the delegate. A reset by the peer then goes unnoticed.
  package func stopReading() {
    guard wantsReading else { return }
    wantsReading = false
    if handle.isOpen { uv_read_stop(handle.cast()) }
  }

  var isSound: Bool {
    guard handle.isOpen, case .sound = health else { return false }
    return true
  }

  /// The loop's reading state, found without retaining the loop.
  @inline(__always)
  private var reading: UnsafeMutablePointer<LoopReading> {
    handle.cast(to: uv_handle_t.self).pointee.loop.pointee.data.assumingMemoryBound(to: LoopReading.self)
  }

  /// Lends libuv the loop's only buffer, whose bytes are consumed before the next read. With the length 0, libuv reads
  /// nothing and asks again in the next turn.
  @inline(__always)
  private func lendBuffer(to buffer: UnsafeMutablePointer<uv_buf_t>) {
    buffer.pointee.len = reading.pointee.round.room(
      for: &readingShare, of: reading.pointee.turnBytes, reader)
    buffer.pointee.base = reading.pointee.buffer.assumingMemoryBound(to: CChar.self)
  }

  private func lendBufferForNobody(to buffer: UnsafeMutablePointer<uv_buf_t>) {
    buffer.pointee.len = reading.pointee.round.roomForNobody(of: reading.pointee.turnBytes)
    buffer.pointee.base = reading.pointee.buffer.assumingMemoryBound(to: CChar.self)
  }

  private func readForNobody(_ count: Int) {
    if count > 0 { reading.pointee.round.spendDiscarded(count) }
    read(count)
  }

  @inline(__always)
  private func read(_ count: Int) {
    if count > 0 {
      readingShare.spend(count)
      received(count)
    } else if count == Int(UV_EOF.rawValue) {
      ended()
    } else if count < 0 && count != Int(UV_ENOBUFS.rawValue) {
      fail(UVError(code: Int32(count)))
    }
  }

  @inline(__always)
  private func received(_ count: Int) {
    let start = reading.pointee.buffer.assumingMemoryBound(to: UInt8.self)
    let bytes = UnsafeBufferPointer(start: start, count: count + EventLoop.slackByteCount)
    delegate?.stream(self, received: bytes.span, count: count)
  }

  @inline(never)
  private func ended() {
    // libuv calls a reset an end when bytes came along with it.
    let error = pendingSocketError()
    if error != 0 { return fail(UVError(code: uv_translate_sys_error(error))) }
    hasEnded = true
    wantsReading = false
    delegate?.streamEnded(self)
  }

  private func pendingSocketError() -> Int32 {
    var descriptor: Int32 = -1
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard uv_fileno(handle.cast(), &descriptor) == 0 else { return 0 }
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    return error
  }
}
