import Addresses
import LibUV
import Testing

/// One loop with everything a test puts on it, and a watchdog that ends a test which hangs.
final class Scene {
  static let watchdogMilliseconds: UInt64 = 240_000

  let loop: EventLoop
  private(set) var isOver = false
  private var ends: [() -> Void] = []

  init() throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    let watchdog = LoopTimer(on: loop) { [unowned self] in
      Issue.record("the scene never came to its end")
      end()
    }
    watchdog.start(afterMilliseconds: Self.watchdogMilliseconds)
    atEnd { watchdog.close() }
  }

  /// Runs until `end()`, and then until libuv has let go of everything.
  func run() {
    loop.run()
    if !isOver {
      Issue.record("the loop had nothing left to do before the scene's end")
      end()
      loop.run()
    }
  }

  /// Closes everything that is on the loop.
  func end() {
    guard !isOver else { return }
    isOver = true
    for end in ends { end() }
    ends = []
  }

  /// What comes when the scene is over already is closed at once.
  func atEnd(_ end: @escaping () -> Void) {
    if isOver { end() } else { ends.append(end) }
  }

  func atTurnEnd(_ body: @escaping () -> Void) {
    let name = loop.addTurnEnd(body)
    atEnd { [unowned loop] in loop.removeTurnEnd(name) }
  }

  /// Hears `stream` until the end of the scene.
  @discardableResult
  func hear(_ stream: ByteStream, reading: Bool = true) -> Recorder {
    let recorder = Recorder(stream)
    stream.delegate = recorder
    if reading { stream.startReading() }
    atEnd {
      stream.close()
      recorder.forgetActions()
    }
    return recorder
  }

  func listen(
    at address: SocketAddress = .anyLoopbackPort, onConnection: @escaping (ByteStream) -> Void
  ) throws -> Listener {
    let listener = try Listener(on: loop, address: address, onConnection: onConnection)
    atEnd { listener.close() }
    return listener
  }

  /// Connects, or records an issue and ends the scene.
  func connect(to address: SocketAddress, then: @escaping (ByteStream) -> Void) {
    ByteStream.connect(to: address, on: loop) { [unowned self] result in
      switch result {
      case .success(let stream): then(stream)
      case .failure(let error):
        Issue.record(error)
        end()
      }
    }
  }

  func after(milliseconds: UInt64, _ action: @escaping () -> Void) {
    let timer = LoopTimer(on: loop, onFire: action)
    // Else the time that the test has taken so far in this turn would count.
    loop.updateTime()
    timer.start(afterMilliseconds: milliseconds)
    atEnd { timer.close() }
  }
}

extension SocketAddress {
  static var anyLoopbackPort: SocketAddress { .tcp(host: "127.0.0.1", port: 0) }
}
