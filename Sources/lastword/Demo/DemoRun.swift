import Addresses
import Client
import Demo
import Glibc
import LibUV

/// One run of the demo on its loop: decides when each letter is typed, and when the run is over.
final class DemoRun {
  enum End {
    case settled(Verdict)
    case broken(String)
    case interrupted(signal: Int32)
  }

  /// How often the picture is redrawn.
  private static let tickMilliseconds: UInt64 = 25
  /// How long connecting may take, and how long nothing may happen after the last letter: on a busy machine the
  /// searches take as long as they take.
  private static let timeoutMilliseconds: UInt64 = 15_000

  private let loop: EventLoop
  private let pool: ClientPool
  private let onEnd: (End) -> Void
  private let view = LiveView()
  private var scene = DemoScene()
  private var keystrokes: ArraySlice<Keystroke>
  /// When the first letter is typed; nil until all search boxes are connected.
  private var startMilliseconds: UInt64?
  private var deadlineMilliseconds: UInt64
  /// The processor time of the searches, as last measured.
  private var busyMilliseconds = 0
  private var servers: DemoServers?
  private var boxes: [SearchBox] = []
  private var timer: LoopTimer?
  private var signals: [SignalSource] = []
  private var hasEnded = false

  init(
    _ search: FileSearch, _ options: DemoOptions, on loop: EventLoop, onEnd: @escaping (End) -> Void
  ) throws {
    self.loop = loop
    self.onEnd = onEnd
    pool = ClientPool(on: loop)
    keystrokes = Typist(seed: options.seed).keystrokes[...]
    deadlineMilliseconds = loop.nowMilliseconds + Self.timeoutMilliseconds
    do {
      try start(search, options)
    } catch {
      close()
      throw error
    }
  }

  /// The address of the live page; nil: there is none.
  var pagesAddress: SocketAddress? { servers?.pagesAddress }

  private func start(_ search: FileSearch, _ options: DemoOptions) throws {
    for signal in [SIGINT, SIGTERM] {
      signals.append(
        try SignalSource(on: loop, signal: signal) { [unowned self] in self.end(.interrupted(signal: signal))
        })
    }
    let servers = try DemoServers(search, options, on: loop) { [unowned self] number in
      self.apply(.upstreamAnswered, to: number, on: .gateway)
    }
    self.servers = servers
    boxes = DemoScene.Side.allCases.map { box($0, servers.address($0)) }
    timer = LoopTimer(on: loop) { [unowned self] in self.tick() }
    timer?.start(afterMilliseconds: 0)
  }

  private func box(_ side: DemoScene.Side, _ address: SocketAddress) -> SearchBox {
    SearchBox(
      side, at: address, pool, onEvent: { [unowned self] in self.apply($0, to: $1, on: side) },
      onLost: { [unowned self] in self.end(.broken($0)) })
  }

  // MARK: Time

  private func tick() {
    let now = loop.nowMilliseconds
    if startMilliseconds == nil && isReady { startMilliseconds = now }
    typeWhatIsDue()
    postponeDeadline()
    scene.nowMilliseconds = nowMilliseconds
    view.tick(scene)
    if isOver || now >= deadlineMilliseconds { return conclude() }
    let next = min(nextKeystrokeMilliseconds ?? .max, now + Self.tickMilliseconds)
    timer?.start(atMilliseconds: next)
  }

  private func postponeDeadline() {
    guard let servers else { return }
    let busyMilliseconds = servers.busyMilliseconds(.direct) + servers.busyMilliseconds(.gateway)
    if busyMilliseconds == self.busyMilliseconds { return }
    self.busyMilliseconds = busyMilliseconds
    deadlineMilliseconds = loop.nowMilliseconds + Self.timeoutMilliseconds
  }

  private func typeWhatIsDue() {
    while let next = nextKeystrokeMilliseconds, next <= loop.nowMilliseconds {
      let keystroke = keystrokes.removeFirst()
      deadlineMilliseconds = loop.nowMilliseconds + Self.timeoutMilliseconds
      scene.typed = keystroke.text
      // An empty search box asks nothing.
      guard !keystroke.text.isEmpty else { continue }
      for box in boxes { box.search(keystroke.text, isFirst: keystroke.isFirst) }
    }
  }

  private var nextKeystrokeMilliseconds: UInt64? {
    guard let startMilliseconds, let next = keystrokes.first else { return nil }
    return startMilliseconds + UInt64(next.atMilliseconds)
  }

  private var nowMilliseconds: Int { startMilliseconds.map { Int(loop.nowMilliseconds - $0) } ?? 0 }

  private func apply(_ event: DemoScene.Event, to number: Int, on side: DemoScene.Side) {
    scene.apply(event, to: number, on: side, atMilliseconds: nowMilliseconds)
    view.changed(scene, by: event, of: number, on: side)
  }

  // MARK: The beginning and the end

  private var isReady: Bool { boxes.allSatisfy(\.isConnected) && servers?.isReady == true }

  /// Whether the run is over: searches that nobody waits for any more count as upstream's work, too, and must have
  /// ended.
  private var isOver: Bool {
    startMilliseconds != nil && keystrokes.isEmpty && scene.direct.isSettled && scene.gateway.isSettled
      && servers?.isQuiet == true
  }

  private func conclude() {
    guard startMilliseconds != nil else { return end(.broken("the demo's servers could not be reached")) }
    view.finish(scene)
    end(
      .settled(
        Verdict(
          left: scene.direct, leftBusyMilliseconds: servers?.busyMilliseconds(.direct) ?? 0,
          right: scene.gateway, rightBusyMilliseconds: servers?.busyMilliseconds(.gateway) ?? 0)))
  }

  private func end(_ end: End) {
    guard !hasEnded else { return }
    hasEnded = true
    close()
    onEnd(end)
  }

  private func close() {
    for box in boxes { box.close() }
    pool.close()
    servers?.close()
    timer?.close()
    for signal in signals { signal.close() }
  }
}

@available(*, unavailable)
extension DemoRun: Sendable {}
