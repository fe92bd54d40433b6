#if TLS
import CLibSSL
import Glibc
import TLS
import TestSupport
import Testing

/// Whether sessions take as much memory as they count for. Each test has a process of its own, in which the library is
/// given another allocator before it asks for anything.
@Suite struct MemoryTests {
  @Test func `measure`() async {
    await #expect(processExitsWith: .success) {
      CountedLibrary.begin()
      let sessions = try MeasuredSessions()
      func say(_ name: String, _ count: Int) { FileHandleLess.print("MEASURED \(name) \(count)") }
      say("greeted", try sessions.measure { _ in })
      say("half hello", try sessions.measure { $0.takeHalfOfHello() })
      say("answered", try sessions.measure { $0.takeHello() })
      say("secured", try sessions.measure { $0.finish() })
      say("spoken", try sessions.measure { $0.finish(); $0.say(16000) })
      say("half record", try sessions.measure { $0.finish(); $0.sayHalf(16000) })
      let twelve = try MeasuredSessions(isOld: true)
      say("answered 1.2", try twelve.measure { $0.takeHello() })
      say("secured 1.2", try twelve.measure { $0.finish() })
      _exit(0)
    }
  }
}
enum FileHandleLess { static func print(_ s: String) { var b = Array((s + "\n").utf8); _ = unsafe write(2, &b, b.count) } }

/// The library's memory, counted as it is asked for.
enum CountedLibrary {
  nonisolated(unsafe) static var bytesInUse = 0
  private static let headerBytes = 16

  static func begin() {
    let status = unsafe CRYPTO_set_mem_functions(
      { count, _, _ in unsafe CountedLibrary.allocate(count) },
      { pointer, count, _, _ in unsafe CountedLibrary.reallocate(pointer, count) },
      { pointer, _, _ in unsafe CountedLibrary.free(pointer) })
    precondition(status == 1, "the library has asked for memory before")
  }

  private static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard let base = unsafe malloc(count + headerBytes) else { return nil }
    unsafe base.storeBytes(of: count, as: Int.self)
    unsafe bytesInUse += count
    return unsafe base + headerBytes
  }

  private static func reallocate(
    _ pointer: UnsafeMutableRawPointer?, _ count: Int
  ) -> UnsafeMutableRawPointer? {
    guard let pointer = unsafe pointer else { return unsafe allocate(count) }
    if count == 0 {
      unsafe free(pointer)
      return nil
    }
    let old = unsafe (pointer - headerBytes).load(as: Int.self)
    guard let base = unsafe realloc(pointer - headerBytes, count + headerBytes) else { return nil }
    unsafe base.storeBytes(of: count, as: Int.self)
    unsafe bytesInUse += count - old
    return unsafe base + headerBytes
  }

  private static func free(_ pointer: UnsafeMutableRawPointer?) {
    guard let pointer = unsafe pointer else { return }
    unsafe bytesInUse -= (pointer - headerBytes).load(as: Int.self)
    unsafe Glibc.free(pointer - headerBytes)
  }
}

/// What one session of a server takes, by what has been said.
struct MeasuredSessions {
  private let server: TLSContext
  private let client: TLSContext

  init(isOld: Bool = false) throws {
    let papers = try Papers.all()
    (server, client) = (try papers.serverContext(), try papers.clientContext())
  }

  /// Gives the library's bytes that go when the server's side does.
  func measure(_ talk: (MeasuredPair) -> Void) throws -> Int {
    var count = 0
    // The first time the library sets up what all sessions share.
    for _ in 0..<2 {
      let pair = try MeasuredPair(server, client)
      talk(pair)
      let before = unsafe CountedLibrary.bytesInUse
      pair.server = nil
      count = unsafe before - CountedLibrary.bytesInUse
    }
    return count
  }
}

/// A server's session, and the client that it speaks to.
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

  private func feed(_ bytes: some Sequence<UInt8>, to engine: TLSEngine?) {
    let bytes = Array(bytes)
    _ = engine?.receive(bytes.span, count: bytes.count, into: &room)
  }

  func takeHalfOfHello() {
    let hello = takeOutput(of: client)
    feed(hello.prefix(hello.count / 2), to: server)
  }

  func takeHello() { feed(takeOutput(of: client), to: server) }

  func finish() {
    for _ in 0..<4 {
      takeHello()
      feed(takeOutput(of: server), to: client)
    }
    precondition(server?.isSecured == true && client.isSecured, "no handshake came of it")
  }

  func say(_ count: Int) {
    _ = client.write([UInt8](repeating: 0, count: count))
    takeHello()
  }

  func sayHalf(_ count: Int) {
    _ = client.write([UInt8](repeating: 0, count: count))
    feed(takeOutput(of: client).prefix(count / 2), to: server)
  }
}
#endif
