import Addresses
import LibUV
import Testing

@testable import Admin

/// An admin server and those who talk to it, on one loop, with a watchdog that ends a test which hangs.
final class AdminScene {
  static let watchdogMilliseconds: UInt64 = 120_000

  let loop: EventLoop
  let server: AdminServer
  private var callers: [AdminCaller] = []
  private var isOver = false
  private var turnEnd: EventLoop.TurnEnd?
  private var isDone: () -> Bool = { true }
  private var watchdog: LoopTimer?

  init(_ change: (inout AdminOptions) -> Void = { _ in }) throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    var options = AdminOptions(.tcp(host: "127.0.0.1", port: 0))
    // On a busy machine a test may take longer than a caller may.
    options.headMilliseconds = Self.watchdogMilliseconds
    options.stallMilliseconds = Self.watchdogMilliseconds
    change(&options)
    server = try AdminServer(options, on: loop)
    turnEnd = loop.addTurnEnd { [unowned self] in if isDone() { loop.stop() } }
    watchdog = LoopTimer(on: loop) { [unowned self] in
      Issue.record("this never happens")
      isDone = { true }
    }
  }

  /// To be called last: nothing may be left open on the loop, which would not end.
  func end() {
    guard !isOver else { return }
    isOver = true
    server.close()
    for caller in callers { caller.close() }
    watchdog?.close()
    turnEnd.map(loop.removeTurnEnd)
    loop.run()
  }

  func run(until isDone: @escaping () -> Bool) {
    self.isDone = isDone
    loop.updateTime()
    watchdog?.start(afterMilliseconds: Self.watchdogMilliseconds)
    loop.run()
    watchdog?.stop()
    // What it asks for mostly holds the scene.
    self.isDone = { true }
  }

  /// Connects, and has the server know of it.
  /// - Parameter address: of somebody else than the admin server.
  func call(_ address: SocketAddress? = nil, readsAtOnce: Bool = true) -> AdminCaller {
    let caller = AdminCaller()
    callers.append(caller)
    ByteStream.connect(to: address ?? server.address, on: loop) { result in
      switch result {
      case .success(let stream): caller.connected(stream, readsAtOnce)
      case .failure(let error): Issue.record(error)
      }
    }
    run { caller.stream != nil }
    return caller
  }

  /// All that comes for a request on a connection of its own, which the server has to end.
  func answer(_ text: String) -> String {
    let caller = call()
    caller.say(text)
    run { caller.hasEnded }
    return caller.text
  }

  func get(_ path: String, _ fields: String = "") -> String {
    answer("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n")
  }

  func post(_ path: String) -> String {
    answer("POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
  }
}

/// One who talks to the server, and writes down what it says.
final class AdminCaller: ByteStreamDelegate {
  private(set) var stream: ByteStream?
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false

  var text: String { String(decoding: received, as: UTF8.self) }

  func connected(_ stream: ByteStream, _ readsAtOnce: Bool) {
    self.stream = stream
    stream.delegate = self
    if readsAtOnce { stream.startReading() }
  }

  func say(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(stream?.write(bytes) == bytes.count)
  }

  func close() { stream?.close() }
  func forgetReceived() { received = [] }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    for index in 0..<count { received.append(bytes[index]) }
  }

  func streamEnded(_ stream: ByteStream) { hasEnded = true }
  func stream(_ stream: ByteStream, failed error: UVError) { hasEnded = true }
  func streamBecameWritable(_ stream: ByteStream) {}
}
