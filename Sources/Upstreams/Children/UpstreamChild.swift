import LibUV

/// The owner of a child: hears from it until it has ended or departs.
protocol UpstreamChildOwner: AnyObject {
  /// Behind the first `count` bytes lies the scanner's slack.
  func childReceived(_ bytes: Span<UInt8>, count: Int)
  func childBecameWritable()
  func childSaid(_ line: String)
  /// The child is gone, and so are all processes that it had started.
  /// - Parameter isWell: whether it had taken all its input, and exited with status 0.
  func childEnded(_ reason: String, isWell: Bool)
}

/// One child from its start to its end: its output, and why it ended.
final class UpstreamChild {
  /// How long to wait for the rest of its output after its exit: a process that left its group may hold the pipes open.
  static let lastWordsMilliseconds: UInt64 = 1_000

  private enum Stage {
    case serving
    /// It takes no requests any more, or cannot answer, and has its grace to exit by itself.
    case failing(reason: String)
    /// It has exited; the rest of its output is still read.
    case exited(reason: String, isWell: Bool)
    /// Its owner hears nothing of it any more.
    case departing
    case ended
  }

  private let loop: EventLoop
  private let graceMilliseconds: UInt64
  private let isStoppedAtOnce: Bool
  private var owner: (any UpstreamChildOwner)?
  private var stage = Stage.serving
  private var process: ChildProcess?
  private var departing: DepartingChildren?
  private var isGivenUp = false
  /// Its input ended before it had taken all that was written.
  private var isCutOff = false
  /// Since when its input has ended and it has written nothing; nil: its input has not ended.
  private var silentSinceMilliseconds: UInt64?
  private var endedStreams = 0
  private var lines: ErrorLines
  private var timeout: LoopTimer?
  private var skips: LoopTimer?

  init(
    _ command: ChildCommand, _ budget: LineBudget, on loop: EventLoop, owner: any UpstreamChildOwner,
    onExit: @escaping (ChildExit) -> Void = { _ in }
  ) throws(UVError) {
    self.loop = loop
    self.owner = owner
    lines = ErrorLines(budget)
    graceMilliseconds = command.graceMilliseconds
    isStoppedAtOnce = command.isStoppedAtOnce
    let process = try ChildProcess(
      command.arguments, directory: command.directory, environment: command.environment,
      inherits: command.inherits, sharesErrors: command.sharesErrors, on: loop
    ) { [self] exit in
      onExit(exit)
      exited(exit)
    }
    self.process = process
    for stream in [process.input, process.output, process.errors] { stream?.delegate = self }
    process.output.startReading()
    if let errors = process.errors { errors.startReading() } else { endedStreams += 1 }
    skips = LoopTimer(on: loop) { [unowned self] in say(lines.takeSkips()) }
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard case .serving = stage, let process else { return 0 }
    return unsafe process.input.write(chunks)
  }

  /// Stops reading its output, or goes on.
  func setReading(_ isReading: Bool) {
    guard let output = process?.output else { return }
    if isReading { output.startReading() } else { output.stopReading() }
  }

  /// Whether it has not taken all that was written. What was cut off it never will.
  var isWriting: Bool { isCutOff || (process?.input.isWriting ?? false) }

  /// Ends its input. Its output is still read.
  func endInput() {
    if case .serving = stage { closeInput() }
  }

  /// Accepted bytes are written first.
  private func closeInput() {
    silentSinceMilliseconds = silentSinceMilliseconds ?? loop.nowMilliseconds
    if let input = process?.input, !input.isWriting { input.close() }
  }

  func kill() { process?.kill() }

  /// Ends its input, if that has not ended. After its grace without output it gets SIGTERM, and after the same time
  /// again SIGKILL.
  func depart(among departing: DepartingChildren) {
    owner = nil
    switch stage {
    case .serving, .failing: break
    case .exited: return end()
    case .departing, .ended: return
    }
    stage = .departing
    departing.add(self)
    self.departing = departing
    closeInput()
    if isStoppedAtOnce {
      terminate()
    } else {
      let passed = loop.nowMilliseconds - (silentSinceMilliseconds ?? loop.nowMilliseconds)
      wait(milliseconds: graceMilliseconds - min(passed, graceMilliseconds)) { [unowned self] in terminate() }
    }
  }

  private func terminate() { process?.terminate(graceMilliseconds: graceMilliseconds) }

  private func wait(milliseconds: UInt64, _ then: @escaping () -> Void) {
    timeout?.close()
    timeout = LoopTimer(on: loop, onFire: then)
    timeout?.start(afterMilliseconds: milliseconds)
  }
}

// MARK: Its end

extension UpstreamChild {
  /// It cannot be used any more. If it exits within its grace, its exit is reported instead of this reason.
  private func failed(_ reason: String, isCutOff: Bool) {
    guard case .serving = stage else { return }
    stage = .failing(reason: reason)
    self.isCutOff = isCutOff
    process?.input.close()
    wait(milliseconds: graceMilliseconds) { [unowned self] in
      isGivenUp = true
      kill()
    }
  }

  private func exited(_ exit: ChildExit) {
    switch stage {
    case .serving: lastWords(exit.description, of: exit)
    case .failing(let reason): lastWords(isGivenUp ? reason : exit.description, of: exit)
    case .departing, .exited, .ended: end()
    }
  }

  private func lastWords(_ reason: String, of exit: ChildExit) {
    isCutOff = isWriting
    stage = .exited(reason: reason, isWell: exit == .exited(status: 0) && !isCutOff)
    process?.input.close()
    wait(milliseconds: Self.lastWordsMilliseconds) { [unowned self] in end() }
    endIfAllIsSaid()
  }

  private func streamEnded() {
    endedStreams += 1
    endIfAllIsSaid()
  }

  private func endIfAllIsSaid() {
    if case .exited = stage, endedStreams == 2 { end() }
  }

  private func end() {
    let stage = stage
    self.stage = .ended
    departing?.remove(self)
    for timer in [timeout, skips] { timer?.close() }
    if let process {
      for stream in [process.input, process.output, process.errors] { stream?.close() }
    }
    process = nil
    if case .exited(let reason, let isWell) = stage { report(reason, isWell: isWell) }
  }

  private func report(_ reason: String, isWell: Bool) {
    say(lines.end(atMilliseconds: loop.nowMilliseconds))
    let owner = owner
    self.owner = nil
    owner?.childEnded(reason, isWell: isWell)
  }
}

// MARK: What it says

extension UpstreamChild: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    guard let owner else { return }
    if silentSinceMilliseconds != nil { silentSinceMilliseconds = loop.nowMilliseconds }
    if stream === process?.output { return owner.childReceived(bytes, count: count) }
    say(lines.take(bytes, count: count, atMilliseconds: loop.nowMilliseconds))
    if let due = lines.skipsDueMilliseconds { skips?.start(atMilliseconds: due) }
  }

  /// The owner may let the child depart at any of these lines.
  private func say(_ lines: [String]) {
    for line in lines { owner?.childSaid(line) }
  }

  func streamEnded(_ stream: ByteStream) {
    streamEnded()
    if stream === process?.output { failed("closed its standard output", isCutOff: isWriting) }
  }

  func stream(_ stream: ByteStream, failed error: UVError) {
    // It fails by a write only, and has forgotten that by now.
    if stream === process?.input { return failed("closed its standard input", isCutOff: true) }
    streamEnded(stream)
  }

  func streamBecameWritable(_ stream: ByteStream) {
    if silentSinceMilliseconds != nil { stream.close() } else { owner?.childBecameWritable() }
  }
}

@available(*, unavailable)
extension UpstreamChild: Sendable {}
