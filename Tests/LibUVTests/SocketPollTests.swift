import Glibc
import LibUV
import Testing

/// Sockets that somebody else owns, watched.
@Suite struct SocketPollTests {
  @Test func `a readable socket is told of, turn after turn, until it has been read`() throws {
    let scene = try Scene()
    let pair = try SocketPair()
    var told: [SocketPoll.Readiness] = []
    try scene.poll(pair.ours, .readable) {
      told.append($0)
      guard told.count == 3 else { return }
      #expect(pair.readByte() == 7)
      pair.sendByte(8)
      scene.end()
    }
    pair.sendByte(7)
    scene.run()
    #expect(told == [.readable, .readable, .readable])
  }

  @Test func `of those that take turns some are told in a turn, and nobody twice before all others`() throws {
    let scene = try Scene()
    let pairs = try (0..<11).map { _ in try SocketPair() }
    var told: [[Int]] = [[]]
    let name = scene.loop.addTurnEnd {
      if told.last != [] { told.append([]) }
      if told.count == 7 { scene.end() }
    }
    for (number, pair) in pairs.enumerated() {
      try scene.poll(pair.ours, .readable, takesTurns: true) { _ in told[told.count - 1].append(number) }
      pair.sendByte(1)
    }
    scene.run()
    scene.loop.removeTurnEnd(name)
    #expect(told.dropLast().map(\.count) == [4, 4, 3, 4, 4, 3])
    #expect(told[0...2].joined().sorted() == Array(0..<11) && told[3...5].joined().sorted() == Array(0..<11))
  }

  @Test func `only what is asked for is told`() throws {
    let scene = try Scene()
    let pair = try SocketPair()
    var told: [SocketPoll.Readiness] = []
    var poll: SocketPoll?
    poll = try scene.poll(pair.ours, .writable) {
      told.append($0)
      if $0 == .readable { return scene.end() }
      pair.sendByte(1)
      poll?.watch(told.count == 1 ? [.readable, .writable] : .readable)
    }
    scene.run()
    #expect(told == [.writable, [.readable, .writable], .readable])
  }

  @Test func `a socket that is not watched is not told of`() throws {
    let scene = try Scene()
    let silent = try SocketPair()
    let marker = try SocketPair()
    var told = 0
    let poll = try scene.poll(silent.ours, .readable) { _ in told += 1 }
    poll.watch([])
    var turns = 0
    try scene.poll(marker.ours, .readable) { _ in
      turns += 1
      if turns == 10 { scene.end() }
    }
    silent.sendByte(1)
    marker.sendByte(1)
    scene.run()
    #expect(told == 0)
  }

  @Test func `a connection that is refused has failed`() throws {
    let scene = try Scene()
    let socket = try SocketPair.refused()
    defer { close(socket) }
    var told: [SocketPoll.Readiness] = []
    try scene.poll(socket, .writable) {
      told.append($0)
      scene.end()
    }
    scene.run()
    #expect(told == [.failed])
  }

  @Test func `a socket's number is watched again as soon as it is another's`() throws {
    let scene = try Scene()
    let first = try SocketPair()
    let second = try SocketPair()
    var told: [Int] = []
    var poll: SocketPoll?
    poll = try scene.poll(first.ours, .readable) { _ in
      told.append(1)
      poll?.close()
      // The kernel closes what had the number.
      #expect(dup2(second.ours, first.ours) == first.ours)
      do {
        try scene.poll(first.ours, .readable) { _ in
          told.append(2)
          scene.end()
        }
      } catch {
        Issue.record(error)
        scene.end()
      }
    }
    first.sendByte(1)
    second.sendByte(1)
    scene.run()
    #expect(told == [1, 2])
  }
}

extension Scene {
  /// Watches a socket until the end of the scene.
  @discardableResult
  fileprivate func poll(
    _ socket: Int32, _ readiness: SocketPoll.Readiness, takesTurns: Bool = false,
    onReady: @escaping (SocketPoll.Readiness) -> Void
  ) throws -> SocketPoll {
    let poll = try SocketPoll(socket, on: loop, takesTurns: takesTurns, onReady: onReady)
    poll.watch(readiness)
    atEnd { poll.close() }
    return poll
  }
}

/// Two connected sockets, closed with this object.
private final class SocketPair {
  let ours: Int32
  private let theirs: Int32

  init() throws {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { throw UVError(code: -errno) }
    ours = pair[0]
    theirs = pair[1]
  }

  deinit {
    close(ours)
    close(theirs)
  }

  func sendByte(_ byte: UInt8) {
    var byte = byte
    #expect(write(theirs, &byte, 1) == 1)
  }

  func readByte() -> UInt8? {
    var byte: UInt8 = 0
    return read(ours, &byte, 1) == 1 ? byte : nil
  }

  /// A socket that is connecting to a port on which nobody listens.
  static func refused() throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    let (nobody, socket) = (Glibc.socket(AF_INET, kind, 0), Glibc.socket(AF_INET, kind, 0))
    defer { close(nobody) }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // Bound but not listening: the port is nobody else's meanwhile.
        bind(nobody, $0, length) == 0 && getsockname(nobody, $0, &length) == 0
          ? connect(socket, $0, length) : 0
      }
    }
    guard status < 0, [EINPROGRESS, ECONNREFUSED].contains(errno) else { throw UVError(code: -errno) }
    return socket
  }
}
