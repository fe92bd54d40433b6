package import GatewayCore
package import LibUV

/// An upstream that is a child process, spoken to over its standard input and output.
package final class ProcessTransport: ByteTransport {
  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  private let command: ChildCommand
  private let loop: EventLoop
  private let departing: DepartingChildren
  private let budget: LineBudget
  private var starting: LoopTimer?
  private var child: UpstreamChild?

  /// Several transports can share both, and their bounds.
  /// - Parameters:
  ///   - departing: takes children that were disconnected and have not exited.
  ///   - budget: the budget of lines from the children's standard errors.
  package init(
    _ id: UpstreamID, _ command: ChildCommand, on loop: EventLoop,
    departing: DepartingChildren = DepartingChildren(), budget: LineBudget = LineBudget()
  ) {
    self.id = id
    self.command = command
    self.loop = loop
    self.departing = departing
    self.budget = budget
  }

  package var name: String { command.name }

  package func connect() {
    let starting = LoopTimer(on: loop) { [self] in start() }
    starting.start(afterMilliseconds: 0)
    self.starting = starting
  }

  private func start() {
    guard loop.takesChild() else {
      starting?.start(afterMilliseconds: 1)
      return
    }
    starting?.close()
    starting = nil
    do throws(UVError) {
      child = try UpstreamChild(command, budget, on: loop, owner: self) { [departing] in
        departing.lastExit = $0
      }
    } catch {
      delegate?.transport(id, disconnected: command.startFailure(error.text))
      departing.startFailed(error)
      return
    }
    departing.started()
    delegate?.transportConnected(id)
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard let child else { return 0 }
    return unsafe child.write(chunks)
  }

  package func setReading(_ isReading: Bool) { child?.setReading(isReading) }
  package func end() { child?.endInput() }
  package var isWriting: Bool { child?.isWriting ?? false }
  package private(set) var hasEndedWell = false
  package let endsWithItsWork = true

  /// Gives the child some time to exit.
  package func disconnect() {
    starting?.close()
    starting = nil
    child?.depart(among: departing)
    child = nil
  }

  /// Kills the child, older children that have not exited yet, and all processes that they have started: this process
  /// is about to end.
  package func killNow() {
    starting?.close()
    starting = nil
    child?.kill()
    departing.killAll()
  }
}

extension ProcessTransport: UpstreamChildOwner {
  func childReceived(_ bytes: Span<UInt8>, count: Int) {
    delegate?.transport(id, received: bytes, count: count)
  }

  func childBecameWritable() { delegate?.transportBecameWritable(id) }

  func childSaid(_ line: String) { delegate?.transport(id, said: line) }

  func childEnded(_ reason: String, isWell: Bool) {
    hasEndedWell = isWell
    child = nil
    delegate?.transport(id, disconnected: reason)
  }
}

@available(*, unavailable)
extension ProcessTransport: Sendable {}
