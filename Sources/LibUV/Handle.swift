import CLibUV

/// The memory of one libuv handle, and the only code that turns `handle.data` back into an object.
///
/// From `attach` until libuv's close callback, libuv holds one retain on the owner. That keeps the owner alive
/// across every callback, so wrappers free nothing in `deinit`, and only the close callback frees.
struct Handle<Raw> {
  let raw: UnsafeMutablePointer<Raw>

  init(_ initialize: (UnsafeMutablePointer<Raw>) -> Int32) throws(UVError) {
    raw = .allocate(capacity: 1)
    let status = initialize(raw)
    guard status == 0 else {
      // libuv did not take the handle, so there is no close callback to wait for.
      raw.deallocate()
      throw UVError(code: status)
    }
    base.pointee.data = nil
  }

  func attach(_ owner: AnyObject) {
    base.pointee.data = Unmanaged.passRetained(owner).toOpaque()
  }

  var isClosing: Bool { uv_is_closing(base) != 0 }

  /// Ends the owner's libuv lifetime. Safe to call twice.
  func close() {
    guard !isClosing else { return }
    uv_close(base, Self.freed)
  }

  static var freed: uv_close_cb {
    { handle in
      if let owner = handle!.pointee.data { Unmanaged<AnyObject>.fromOpaque(owner).release() }
      UnsafeMutableRawPointer(handle!).deallocate()
    }
  }

  var stream: UnsafeMutablePointer<uv_stream_t> { cast(raw) }
  var base: UnsafeMutablePointer<uv_handle_t> { cast(raw) }
}

/// The object that owns the handle behind a libuv callback.
func owner<Raw, Owner: AnyObject>(
  of raw: UnsafeMutablePointer<Raw>?, as type: Owner.Type = Owner.self
) -> Owner {
  let base: UnsafeMutablePointer<uv_handle_t> = cast(raw!)
  return Unmanaged<Owner>.fromOpaque(base.pointee.data).takeUnretainedValue()
}

/// libuv's C "inheritance": every handle type begins with the fields of `uv_handle_t`.
func cast<From, To>(_ pointer: UnsafeMutablePointer<From>) -> UnsafeMutablePointer<To> {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: To.self)
}

extension UVError {
  static func check(_ status: Int32) throws(UVError) {
    if status < 0 { throw UVError(code: status) }
  }
}
