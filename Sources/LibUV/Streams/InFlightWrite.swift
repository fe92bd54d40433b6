import CLibUV

/// Owns the bytes of one write that libuv finishes later, until its callback.
final class InFlightWrite {
  private let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableRawBufferPointer

  private init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  var byteCount: Int { bytes.count }

  deinit {
    request.deallocate()
    bytes.deallocate()
  }

  /// Takes over `bytes`. libuv calls back even when the stream is closed first.
  static func start(
    _ bytes: UnsafeMutableRawBufferPointer, on stream: ByteStream
  ) throws(UVError) -> InFlightWrite {
    let write = InFlightWrite(bytes)
    var buffer = uv_buf_t(base: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), len: bytes.count)
    try UVError.check(
      uv_write(write.request, stream.handle.cast(), &buffer, 1) { request, status in
        let stream = owner(of: request!.pointee.handle, as: ByteStream.self)
        Unmanaged<InFlightWrite>.fromOpaque(request!.pointee.data).release()
        stream.finishedWriting(status)
      })
    if stream.countsInFlight { stream.loop.countedInFlightBytes += write.byteCount }
    write.request.pointee.data = Unmanaged.passRetained(write).toOpaque()
    return write
  }
}
