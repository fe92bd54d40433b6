import CLibUV
import Glibc

/// Turns a host and port into the addresses to try, in the system's order.
final class NameLookup {
  private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
  private let port: UInt16
  private var onResult: ((Result<[RawAddress], UVError>) -> Void)?

  private init(port: UInt16, _ onResult: ((Result<[RawAddress], UVError>) -> Void)?) {
    self.port = port
    self.onResult = onResult
  }

  deinit { request.deallocate() }

  /// Looks up on libuv's thread pool; libuv holds one retain on the lookup until its callback.
  static func start(
    host: String, port: UInt16, on loop: EventLoop, then: @escaping (Result<[RawAddress], UVError>) -> Void
  ) throws(UVError) -> NameLookup {
    let lookup = NameLookup(port: port, then)
    try UVError.check(
      lookup.ask(host, on: loop) { request, status, list in
        let lookup = Unmanaged<NameLookup>.fromOpaque(request!.pointee.data).takeRetainedValue()
        let result = lookup.result(status, list)
        uv_freeaddrinfo(list)
        lookup.onResult?(result)
      })
    lookup.request.pointee.data = Unmanaged.passRetained(lookup).toOpaque()
    return lookup
  }

  /// Looks up at once and blocks meanwhile: for listeners, which open before anything is served.
  static func now(host: String, port: UInt16, on loop: EventLoop) throws(UVError) -> [RawAddress] {
    let lookup = NameLookup(port: port, nil)
    let status = lookup.ask(host, on: loop, nil)
    try UVError.check(status)
    defer { uv_freeaddrinfo(lookup.request.pointee.addrinfo) }
    return try lookup.result(status, lookup.request.pointee.addrinfo).get()
  }

  /// Cancels the lookup: its result is not reported any more, even if it runs already.
  func cancel() {
    guard onResult != nil else { return }
    onResult = nil
    let base = UnsafeMutableRawPointer(request).assumingMemoryBound(to: uv_req_t.self)
    uv_cancel(base)
  }

  private func ask(_ host: String, on loop: EventLoop, _ callback: uv_getaddrinfo_cb?) -> Int32 {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    return uv_getaddrinfo(loop.raw, request, callback, host, nil, &hints)
  }

  private func result(
    _ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?
  ) -> Result<[RawAddress], UVError> {
    guard status == 0 else { return .failure(UVError(code: status)) }
    let entries = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
    let addresses = entries.compactMap { $0.flatMap { RawAddress($0.pointee, port: port) } }
    return addresses.isEmpty ? .failure(UVError(code: UV_EAI_NODATA.rawValue)) : .success(addresses)
  }
}
