import Glibc
import LibUV
import Logging

/// Tells the service manager that started the gateway how it is, as sd_notify(3) has it; without one it does nothing.
final class ServiceNotifier {
  /// Of what people are told; more of it helps nobody.
  private static let statusLimitBytes = 1_024
  /// However impatient the service manager is.
  private static let fewestMicroseconds: UInt64 = 1_000

  private let log: Logger
  private var sender: DatagramSender?
  private var watchdog: PreciseTimer?
  private var hasFailed = false

  init(
    _ environment: [String: String] = ConfigEnvironment.variables(), on loop: EventLoop, log: Logger
  ) {
    self.log = log
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return }
    do throws(UVError) {
      sender = try DatagramSender(to: name)
      guard let microseconds = Self.watchdogMicroseconds(environment) else { return }
      try startWatchdog(on: loop, everyMicroseconds: max(Self.fewestMicroseconds, microseconds / 2))
    } catch {
      fail(error)
    }
  }

  /// How long it may be silent; nil: as long as it likes.
  private static func watchdogMicroseconds(_ environment: [String: String]) -> UInt64? {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = UInt64(text), microseconds > 0,
      // Years: it may as well never.
      microseconds < UInt64.max / 1_000_000
    else { return nil }
    if let process = environment["WATCHDOG_PID"], process != "\(getpid())" { return nil }
    return microseconds
  }

  // MARK: How it is

  /// It serves.
  func ready(_ status: String) { say("READY=1\nSTATUS=\(Self.line(status))") }

  /// It reads its configuration again; `ready` follows.
  func reloading() {
    say("RELOADING=1\nMONOTONIC_USEC=\(PreciseTimer.nowNanoseconds / 1_000)\nSTATUS=Reloading")
  }

  func stopping() { say("STOPPING=1\nSTATUS=Draining") }

  func close() {
    watchdog?.close()
    watchdog = nil
    sender?.close()
    sender = nil
  }

  private static func line(_ text: String) -> String {
    String(decoding: text.utf8.prefix(statusLimitBytes).map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
  }

  // MARK: That it is

  /// From a turn of the loop: when that is stuck, the service manager hears no more.
  private func startWatchdog(on loop: EventLoop, everyMicroseconds interval: UInt64) throws(UVError) {
    func startAgain() { watchdog?.start(atNanoseconds: PreciseTimer.nowNanoseconds + interval * 1_000) }
    watchdog = try PreciseTimer(on: loop) { [unowned self] in
      self.say("WATCHDOG=1")
      startAgain()
    }
    watchdog?.letLoopEnd()
    startAgain()
  }

  // MARK: Saying so

  /// Nobody hearing it is no reason not to serve.
  private func say(_ text: String) {
    guard let sender else { return }
    do throws(UVError) {
      try sender.send(text)
      hasFailed = false
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: UVError) {
    if !hasFailed { log.warning("the service manager cannot be told", metadata: ["reason": "\(error)"]) }
    hasFailed = true
  }
}

@available(*, unavailable)
extension ServiceNotifier: Sendable {}
