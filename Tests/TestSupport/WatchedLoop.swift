import Addresses
package import LibUV
package import Testing

/// A loop that a test runs until something is true; a watchdog ends one that hangs.
open class WatchedLoop {
  package static let watchdogMilliseconds: UInt64 = 240_000

  package let loop: EventLoop
  private var watchdog: LoopTimer?
  private var hasHung = false

  package init() throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    watchdog = LoopTimer(on: loop) { [unowned self] in
      hasHung = true
      loop.stop()
    }
    watchdog?.start(afterMilliseconds: Self.watchdogMilliseconds)
    watchdog?.letLoopEnd()
  }

  /// Runs the loop until this is so at the end of a turn.
  package func until(
    _ condition: @escaping () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let turnEnd = loop.addTurnEnd { [unowned loop] in if condition() { loop.stop() } }
    if !hasHung { loop.run() }
    loop.removeTurnEnd(turnEnd)
    if !condition() { Issue.record("this never came to be", sourceLocation: sourceLocation) }
  }

  /// Both ends of a TCP connection, of which nothing is heard yet.
  package func connectedPair() throws -> (accepted: ByteStream, connected: ByteStream) {
    var accepted: ByteStream?
    var connected: ByteStream?
    let listener = try Listener(on: loop, address: .tcp(host: "127.0.0.1", port: 0)) { accepted = $0 }
    let attempt = ByteStream.connect(to: listener.address, on: loop) { connected = try? $0.get() }
    until { accepted != nil && connected != nil }
    attempt.cancel()
    listener.close()
    return (try #require(accepted), try #require(connected))
  }

  /// Runs until nothing is left on the loop, once all that was on it is closed.
  open func end() {
    if !hasHung { loop.run() }
    // With handles on it, it must not be freed.
    if hasHung { _ = Unmanaged.passRetained(loop) }
    watchdog?.close()
    watchdog = nil
  }
}
