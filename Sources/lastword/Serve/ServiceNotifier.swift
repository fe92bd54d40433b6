import Glibc
import LibUV
import Logging

/// Tells the service manager that started the gateway how it is, as sd_notify(3) has it; without one it does nothing.
final class ServiceNotifier {
  /// The length of a status text for people; more of it helps nobody.
  private static let statusLimitBytes = 1_024
  /// However impatient the service manager is.
  private static let fewestMicroseconds: UInt64 = 1_000

  /// How long a service manager that does not read is given until it is told again, and how often.
  private static let pauseMilliseconds: UInt64 = 100
  private static let mostAttempts = 50

  private let log: Logger
  private let loop: EventLoop
  private var sender: DatagramSender?
  private var watchdog: PreciseTimer?
  private var watchdogMicroseconds: UInt64 = 0
  private var pending = PendingNotifications()
  private var retry: PreciseTimer?
  /// Until then nothing is told.
  private var isRetryDue = false
  /// Since the newest state, or since something was taken.
  private var attempts = 0
  private var hasFailed = false
  /// Asked before it is told that all is well: this loop turns, but there may be others.
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
  func ready(_ status: String) {
    pending.add(ready: "READY=1\nSTATUS=\(Self.line(status))")
    tellState()
  }

  /// It reads its configuration again; `ready` follows.
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

  /// From a turn of the loop: when that is stuck, the service manager hears no more.
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

  /// As much of what is pending as is taken. Nobody hearing it is no reason not to serve.
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

  /// Its queue is full: systemd's may be 10 long. False if that has been so for too long.
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
