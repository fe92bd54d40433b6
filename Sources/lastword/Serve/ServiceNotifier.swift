import Glibc
import LibUV
import Logging

/// Tells a service manager the state of the gateway, by sd_notify(3); without a service manager it does nothing.
final class ServiceNotifier {
  /// The longest status text for people.
  private static let statusLimitBytes = 1_024
  /// The shortest interval of the watchdog.
  private static let fewestMicroseconds: UInt64 = 1_000

  /// The pause before the next try when the service manager does not read, and the number of tries.
  private static let pauseMilliseconds: UInt64 = 100
  private static let mostAttempts = 50

  private let log: Logger
  private let loop: EventLoop
  private var sender: DatagramSender?
  private var watchdog: PreciseTimer?
  private var watchdogMicroseconds: UInt64 = 0
  private var pending = PendingNotifications()
  private var retry: PreciseTimer?
  /// Whether the next try has to wait for the pause.
  private var isRetryDue = false
  /// The number of tries since the newest state was added, or since one succeeded.
  private var attempts = 0
  private var hasFailed = false
  /// Called before the watchdog is told that all is well: this loop turns, but others may not.
  var isAlive: () -> Bool = { true }

  init(
    _ environment: [String: String] = ConfigEnvironment.variables(), on loop: EventLoop, log: Logger
  ) {
    self.log = log
    self.loop = loop
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return }
    do throws(UVError) {
      sender = try DatagramSender(to: name)
      guard let microseconds = Self.watchdogMicroseconds(environment) else { return }
      try startWatchdog(everyMicroseconds: max(Self.fewestMicroseconds, microseconds / 2))
    } catch {
      fail(error)
    }
  }

  /// The interval within which the watchdog must hear from us; nil: there is no watchdog.
  private static func watchdogMicroseconds(_ environment: [String: String]) -> UInt64? {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = UInt64(text), microseconds > 0,
      // Larger intervals are many years: as good as none.
      microseconds < UInt64.max / 1_000_000
    else { return nil }
    if let process = environment["WATCHDOG_PID"], process != "\(getpid())" { return nil }
    return microseconds
  }

  // MARK: How it is

  /// Tells that the gateway serves.
  func ready(_ status: String) {
    pending.add(ready: "READY=1\nSTATUS=\(Self.line(status))")
    tellState()
  }

  /// Tells that it reads its configuration again; `ready` must follow.
  func reloading() {
    let microseconds = PreciseTimer.nowNanoseconds / 1_000
    pending.add(reloading: "RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=Reloading")
    tellState()
  }

  func stopping() {
    pending.add(stopping: "STOPPING=1\nSTATUS=Draining")
    tellState()
  }

  func close() {
    watchdog?.close()
    watchdog = nil
    retry?.close()
    retry = nil
    sender?.close()
    sender = nil
  }

  private static func line(_ text: String) -> String {
    String(decoding: text.utf8.prefix(statusLimitBytes).map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
  }

  // MARK: That it is

  /// Starts telling the watchdog from the loop's turns: if the loop is stuck, the watchdog hears nothing.
  private func startWatchdog(everyMicroseconds interval: UInt64) throws(UVError) {
    watchdogMicroseconds = interval
    watchdog = try PreciseTimer(on: loop) { [unowned self] in
      if self.isAlive() {
        self.pending.addAlive()
        self.tell()
      }
      self.startWatchdogAgain()
    }
    watchdog?.letLoopEnd()
    startWatchdogAgain()
  }

  private func startWatchdogAgain() {
    watchdog?.start(atNanoseconds: PreciseTimer.nowNanoseconds + watchdogMicroseconds * 1_000)
  }

  // MARK: Saying so

  private func tellState() {
    attempts = 0
    tell()
  }

  /// Sends what is pending, as far as the service manager takes it. The gateway serves even if it takes nothing.
  private func tell() {
    guard let sender, !isRetryDue else { return }
    while let text = pending.first {
      do throws(UVError) {
        try sender.send(text)
        hasFailed = false
      } catch {
        if error.isTemporary && tellLater() { return }
        fail(error)
        pending.removeAll()
      }
      attempts = 0
      pending.removeFirst()
    }
  }

  /// The service manager's queue is full (systemd's may hold 10): tries again later. Returns false after too many
  /// tries.
  private func tellLater() -> Bool {
    guard attempts < Self.mostAttempts else { return false }
    attempts += 1
    if retry == nil {
      retry = try? PreciseTimer(on: loop) { [unowned self] in
        self.isRetryDue = false
        self.tell()
      }
      retry?.letLoopEnd()
    }
    retry?.start(atNanoseconds: PreciseTimer.nowNanoseconds + Self.pauseMilliseconds * 1_000_000)
    isRetryDue = retry != nil
    return isRetryDue
  }

  private func fail(_ error: UVError) {
    if !hasFailed { log.warning("the service manager cannot be told", metadata: ["reason": "\(error)"]) }
    hasFailed = true
  }
}

@available(*, unavailable)
extension ServiceNotifier: Sendable {}
