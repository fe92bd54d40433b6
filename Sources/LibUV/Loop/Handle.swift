import CLibUV

/// The memory of one libuv handle, and the only code that turns `handle.data` back into an object.
///
/// From `attach` until libuv's close callback, libuv holds one retain on the owner. That keeps the owner
/// alive across every callback, so that owners never close anything in `deinit`.
struct Handle<Raw> {
  /// Valid while `isOpen`, and then until libuv's close callback, which frees it.
  let raw: UnsafeMutablePointer<Raw>
  private(set) var isOpen = true

  /// - Parameter byteCount: less than the size of a union where a smaller member of it is used.
  init(
    byteCount: Int = MemoryLayout<Raw>.size, _ initialize: (UnsafeMutablePointer<Raw>) -> Int32
  ) throws(UVError) {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: byteCount, alignment: MemoryLayout<Raw>.alignment)
    raw = memory.assumingMemoryBound(to: Raw.self)
    let status = initialize(raw)
    guard status == 0 else {
      // libuv did not take the handle, so there is no close callback to wait for.
      raw.deallocate()
      throw UVError(code: status)
    }
  }

  func attach(_ owner: AnyObject) {
    base.pointee.data = Unmanaged.passRetained(owner).toOpaque()
  }

  /// Ends the owner's libuv lifetime; a second call does nothing, even after the memory is gone.
  mutating func close(_ onClosed: uv_close_cb = { releaseOwner(of: $0!) }) {
    guard isOpen else { return }
    isOpen = false
    uv_close(base, onClosed)
  }

  /// Keeps the handle active, but lets the loop end in spite of it.
  func letLoopEnd() { uv_unref(base) }

  /// libuv's C "inheritance": every handle type begins with the fields of `uv_handle_t`.
  func cast<Other>(to type: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
    UnsafeMutableRawPointer(raw).assumingMemoryBound(to: Other.self)
  }

  private var base: UnsafeMutablePointer<uv_handle_t> { cast() }
}

/// The object that owns the handle behind a libuv callback.
@inline(__always)
func owner<Raw, Owner: AnyObject>(of raw: UnsafeMutablePointer<Raw>?, as type: Owner.Type) -> Owner {
  let base = UnsafeMutableRawPointer(raw!).assumingMemoryBound(to: uv_handle_t.self)
  return Unmanaged<Owner>.fromOpaque(base.pointee.data).takeUnretainedValue()
}

/// Calls `body` with the owner without retaining it. Nearly every callback may do so: libuv's retain lasts until the
/// close callback, which never comes within another.
@inline(__always)
func withOwner<Raw, Owner: AnyObject>(
  of raw: UnsafeMutablePointer<Raw>?, as type: Owner.Type, _ body: (Owner) -> Void
) {
  let base = UnsafeMutableRawPointer(raw!).assumingMemoryBound(to: uv_handle_t.self)
  Unmanaged<Owner>.fromOpaque(base.pointee.data)._withUnsafeGuaranteedRef(body)
}

/// Ends every close callback: releases the owner and frees the handle's memory.
func releaseOwner(of handle: UnsafeMutablePointer<uv_handle_t>) {
  Unmanaged<AnyObject>.fromOpaque(handle.pointee.data).release()
  handle.deallocate()
}
