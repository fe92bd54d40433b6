#if TLS
import CLibSSL
import Glibc
import TLS

/// What one session of a server takes of the library's memory, by what has been said.
struct MeasuredSessions {
  private let server: TLSContext
  private let client: TLSContext

  /// - Parameter asks: clients show a certificate.
  init(asks: Bool = false) throws {
    CountedMemory.begin()
    let papers = try Papers.all()
    server = try papers.serverContext(asks: asks)
    client = try papers.clientContext(showing: asks ? papers.client : nil)
  }

  /// Gives the bytes that go with the server's side.
  func measure(_ talk: (MeasuredPair) -> Void) throws -> Int {
    var count = 0
    // The first time the library sets up what all sessions share.
    for _ in 0..<2 {
      let pair = try MeasuredPair(server, client)
      talk(pair)
      let before = unsafe CountedMemory.bytesInUse
      pair.server = nil
      count = unsafe before - CountedMemory.bytesInUse
    }
    return count
  }

  func expect(_ byteCount: Int, _ talk: (MeasuredPair) -> Void) throws {
    Self.expect(try measure(talk), byteCount)
  }

  static func expect(_ measured: Int, _ byteCount: Int) {
    precondition(
      (byteCount / 2...byteCount * 2).contains(measured), "\(measured) bytes were measured, not \(byteCount)")
  }
}

/// A server's session that can be let go of, and the client that it speaks to.
final class MeasuredPair {
  var server: TLSEngine?
  private let client: TLSEngine
  private var room: [UInt8] = []

  init(_ server: TLSContext, _ client: TLSContext) throws {
    self.server = try TLSEngine(server: server)
    self.client = try TLSEngine(client: client, to: "localhost")
  }

  private func takeOutput(of engine: TLSEngine?) -> [UInt8] {
    defer { engine?.output = [] }
    return engine?.output ?? []
  }

  /// - Parameter part: one of so many parts of it.
  private func give(_ bytes: [UInt8], part: Int = 1, to engine: TLSEngine?) {
    let bytes = Array(bytes.prefix(bytes.count / part))
    _ = engine?.receive(bytes.span, count: bytes.count, into: &room)
  }

  func sayHello(part: Int) { give(takeOutput(of: client), part: part, to: server) }

  func finish() {
    for _ in 0..<4 {
      give(takeOutput(of: client), to: server)
      give(takeOutput(of: server), to: client)
    }
    precondition(server?.isSecured == true && client.isSecured, "no handshake came of it")
  }

  func say(byteCount: Int, part: Int) {
    _ = client.write([UInt8](repeating: 0, count: byteCount))
    give(takeOutput(of: client), part: part, to: server)
  }
}

/// The library's memory, as it asks for it.
private enum CountedMemory {
  nonisolated(unsafe) static var bytesInUse = 0
  private static let headerBytes = 16

  /// Before the library has asked for any.
  static func begin() {
    let status = unsafe CRYPTO_set_mem_functions(
      { count, _, _ in unsafe CountedMemory.allocate(count) },
      { pointer, count, _, _ in unsafe CountedMemory.reallocate(pointer, count) },
      { pointer, _, _ in unsafe CountedMemory.free(pointer) })
    precondition(status == 1, "the library has asked for memory before")
  }

  private static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard let base = unsafe malloc(count + headerBytes) else { return nil }
    unsafe base.storeBytes(of: count, as: Int.self)
    unsafe bytesInUse += count
    return unsafe base + headerBytes
  }

  private static func reallocate(_ pointer: UnsafeMutableRawPointer?, _ count: Int)
    -> UnsafeMutableRawPointer?
  {
    guard let pointer = unsafe pointer else { return unsafe allocate(count) }
    guard count > 0 else {
      unsafe free(pointer)
      return nil
    }
    let before = unsafe (pointer - headerBytes).load(as: Int.self)
    guard let base = unsafe realloc(pointer - headerBytes, count + headerBytes) else { return nil }
    unsafe base.storeBytes(of: count, as: Int.self)
    unsafe bytesInUse += count - before
    return unsafe base + headerBytes
  }

  private static func free(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer = unsafe pointer else { return }
    unsafe bytesInUse -= (pointer - headerBytes).load(as: Int.self)
    unsafe Glibc.free(pointer - headerBytes)
  }
}

@available(*, unavailable)
extension MeasuredPair: Sendable {}
#endif
