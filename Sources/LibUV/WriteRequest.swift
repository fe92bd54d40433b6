import CLibUV

/// One write in flight: a `uv_write_t` and, behind it in the same memory, the bytes it owns until its callback.
enum WriteRequest {
  static func make(_ count: Int) -> UnsafeMutablePointer<uv_write_t> {
    UnsafeMutableRawPointer
      .allocate(byteCount: MemoryLayout<uv_write_t>.stride + count, alignment: MemoryLayout<uv_write_t>.alignment)
      .initializeMemory(as: uv_write_t.self, repeating: uv_write_t(), count: 1)
  }

  static func bytes(of request: UnsafeMutablePointer<uv_write_t>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(request) + MemoryLayout<uv_write_t>.stride
  }

  /// The request holds a retain on its stream until its callback, which comes even if the stream is closed.
  static func start(_ request: UnsafeMutablePointer<uv_write_t>, _ count: Int, on stream: ByteStream) {
    request.pointee.data = Unmanaged.passRetained(stream).toOpaque()
    var buffer = uv_buf_t(base: bytes(of: request).assumingMemoryBound(to: CChar.self), len: count)
    let status = uv_write(request, stream.raw, &buffer, 1, done)
    guard status < 0 else { return }
    // Refused outright: the connection is gone, as reading tells. Nobody is called back from within their call.
    Unmanaged<ByteStream>.fromOpaque(request.pointee.data).release()
    UnsafeMutableRawPointer(request).deallocate()
  }

  private static let done: uv_write_cb = { request, status in
    let stream = Unmanaged<ByteStream>.fromOpaque(request!.pointee.data).takeRetainedValue()
    UnsafeMutableRawPointer(request!).deallocate()
    stream.didWrite(status)
  }
}
