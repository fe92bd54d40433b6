import Glibc
import TestSupport

/// A client over a Unix socket that reads nothing until it is told to.
final class DeafClient {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = try LineSocket.connect(unix: path)
    var limit = timeval(tv_sec: LineSocket.watchdogSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends what the socket takes without waiting; returns how many bytes that was.
  func sendSome(of bytes: ArraySlice<UInt8>) throws -> Int {
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
    guard count >= 0 || errno == EAGAIN else {
      throw Failure(description: "write: errno \(errno)")
    }
    return max(0, count)
  }

  /// Sends all of it, however long the gateway takes to read that.
  func send(_ bytes: [UInt8]) throws {
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "write: errno \(errno)") }
      offset += count
    }
  }

  /// Waits until there is something to read, and leaves it there.
  func awaitFirstByte() throws {
    var byte: UInt8 = 0
    guard recv(descriptor, &byte, 1, Int32(MSG_PEEK)) == 1 else {
      throw Failure(description: "nothing came: errno \(errno)")
    }
  }

  /// Reads what is there next; nothing at the end.
  func receive() throws -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0 && errno == ECONNRESET { return [] }
    guard count >= 0 else { throw Failure(description: "nothing came: errno \(errno)") }
    return Array(chunk[..<count])
  }
}
