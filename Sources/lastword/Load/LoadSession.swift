import Addresses
import ArgumentParser
import Glibc
import LibUV
import LoadTest

/// Runs loads one after the other, against servers of its own or those at given addresses.
final class LoadSession {
  private let flags: LoadFlags
  private let loop: EventLoop
  private var servers: LoadServers?
  private var signals: [SignalSource] = []
  private var run: LoadRun?
  private var failure: String?
  private var isClosing = false
  private(set) var interruptedBy: Int32?
  private let progress: LoadProgress

  init(_ flags: LoadFlags, showing progress: LoadProgress) throws {
    self.flags = flags
    self.progress = progress
    EventLoop.ignoreSIGPIPE()
    _ = DescriptorLimit.raise()
    loop = try EventLoop()
    for signal in [SIGINT, SIGTERM] {
      let source = try SignalSource(on: loop, signal: signal) { [unowned self] in self.interrupt(signal) }
      source.letLoopEnd()
      signals.append(source)
    }
    if flags.to == nil { try startServers() }
  }

  private func startServers() throws {
    servers = try LoadServers(
      flags.behaviour ?? LoadFlags.usualBehaviour, seed: flags.seed, on: loop,
      onReady: { [unowned self] in loop.stop() },
      onFailure: { [unowned self] in self.failed($0) })
    loop.run()
    guard failure == nil, interruptedBy == nil else {
      close()
      if let failure { Console.error(failure) }
      throw ExitCode(EX_UNAVAILABLE)
    }
  }

  /// A server has ended, or did not start.
  private func failed(_ reason: String) {
    guard !isClosing else { return }
    failure = failure ?? reason
    if let run { run.fail(reason) } else { loop.stop() }
  }

  /// Handles SIGINT and SIGTERM: the first ends the run, whose measurements are still reported; the second ends the
  /// program at once.
  private func interrupt(_ signal: Int32) {
    guard interruptedBy == nil else {
      loop.killChildren()
      _exit(128 + signal)
    }
    interruptedBy = signal
    if let run { run.stop() } else { loop.stop() }
  }

  /// - Parameter change: changes the options that the flags give.
  func measure(_ change: (inout LoadOptions) -> Void = { _ in }) throws -> LoadMeasurement {
    var options = flags.options(to: servers?.gatewayAddress ?? flags.to?.address ?? .unix(path: ""))
    options.upstreamAddress = servers?.upstreamAddress ?? flags.upstreamAt
    if flags.to != nil {
      options.login = try flags.token.message(id: LoadOptions.loginNumber)
      options.token = try flags.token.token()
    }
    change(&options)
    options.settings = flags.settings(of: options)
    if flags.direct { progress.begin("through the gateway") }
    var measurement = try measure(options)
    guard flags.direct, measurement.failure == nil, interruptedBy == nil,
      let upstream = options.upstreamAddress
    else { return measurement }
    progress.begin("past the gateway")
    let direct = try measure(directly(options, at: upstream))
    measurement.direct = direct.upstream
    measurement.directStale = direct.directStale
    return measurement
  }

  private func directly(_ options: LoadOptions, at upstream: SocketAddress) -> LoadOptions {
    var direct = options
    direct.address = upstream
    direct.transport = .all(.lines)
    direct.isDirect = true
    direct.login = nil
    direct.token = nil
    direct.disconnectsPerSecond = 0
    direct.run = LoadOptions.newRun()
    return direct
  }

  private func measure(_ options: LoadOptions) throws -> LoadMeasurement {
    let terms = options.isDirect ? nil : try flags.to.flatMap { try flags.tls.terms(for: $0) }
    var measurement: LoadMeasurement?
    run = try LoadRun(options, terms, on: loop, onInterval: progress.add) { [loop] in
      measurement = $0
      loop.stop()
    }
    while measurement == nil { loop.run() }
    run = nil
    guard let measurement else { preconditionFailure("a run ends with a measurement") }
    return measurement
  }

  /// Stops the servers, and waits until they have ended.
  func close() {
    isClosing = true
    for signal in signals { signal.close() }
    signals = []
    servers?.stop()
    loop.run()
    servers = nil
  }
}

@available(*, unavailable)
extension LoadSession: Sendable {}
