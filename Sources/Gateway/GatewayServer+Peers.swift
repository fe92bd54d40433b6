package import GatewayCore
import HotData
package import LibUV
import Logging
package import TaskStore
import Upstreams

extension GatewayServer: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    client(client(of: stream), received: bytes, count: count)
  }

  package func streamEnded(_ stream: ByteStream) { clientEnded(client(of: stream)) }

  package func stream(_ stream: ByteStream, failed error: UVError) { clientDisconnected(client(of: stream)) }

  package func streamBecameWritable(_ stream: ByteStream) { clientBecameWritable(client(of: stream)) }

  private func client(of stream: ByteStream) -> ClientID { ClientID(slot: Int(stream.token)) }
}

extension GatewayServer: ClientTransportDelegate {
  @inline(__always)
  package func client(_ client: ClientID, received bytes: Span<UInt8>, count: Int) {
    now()
    heldTurn.value.hasHeard = true
    if turnClock.isLongOver {
      core.putOff(bytes, count: count, from: client)
    } else {
      core.received(bytes, count: count, from: client)
    }
    hasRead(count)
  }

  /// So much has been read, whether or not the core has got anything of it.
  func hasRead(_ count: Int) {
    turnClock.hasRead(count)
    if core.hasWorkedMuch { turnClock.end() }
    readLess()
    flushEarly()
  }

  /// Where time is up, no more is begun.
  @inline(__always)
  func readLess() {
    guard turnClock.isOver else { return }
    if turnClock.isLongOver { loop.readNothing() } else { loop.readLess() }
  }

  package func client(_ client: ClientID, transportHolds byteCount: Int) {
    core.transportHolds(byteCount, for: client)
  }

  package func clientEnded(_ client: ClientID) {
    now()
    core.clientEnded(client)
  }

  package func clientDisconnected(_ client: ClientID) {
    now()
    connections.drop(client)
    if turnClock.isOver { core.putOffEnd(of: client) } else { core.clientDisconnected(client) }
    hasRead(0)
  }

  package func clientBecameWritable(_ client: ClientID) {
    core.clientBecameWritable(client)
  }
}

extension GatewayServer: UpstreamTransportDelegate {
  package func transportConnected(_ upstream: UpstreamID) {
    now()
    let name = connections.name(of: upstream)
    connections.reaching.connected(upstream, to: name)
    let news: Logger.Message =
      connections.connectsAsNeeded(upstream) ? "connecting to upstream as needed" : "upstream connected"
    log.info(news, metadata: ["upstream": "\(name)"])
    core.upstreamConnected(upstream)
  }

  package func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    now()
    if turnClock.hasTime(forAnswers: count) {
      core.upstreamReceived(bytes, count: count, from: upstream)
    } else {
      core.putOff(bytes, count: count, from: upstream)
    }
    hasRead(count)
  }

  package func transportBecameWritable(_ upstream: UpstreamID) {
    core.upstreamBecameWritable(upstream)
  }

  package func transport(_ upstream: UpstreamID, disconnected reason: String) {
    now()
    tell(ofLost: upstream, connections.name(of: upstream), reason)
    core.upstreamDisconnected(upstream)
  }

  private func tell(ofLost upstream: UpstreamID, _ name: String, _ reason: String) {
    let metadata: Logger.Metadata = ["upstream": "\(name)", "reason": "\(reason)"]
    switch connections.reaching.disconnected(upstream, from: name, reason) {
    case .lost:
      let level: Logger.Level = connections.hasEndedWell(upstream) ? .info : .warning
      log.log(level: level, "upstream disconnected", metadata: metadata)
    case .unreached:
      let pause = core.configuration.lastBackOffMilliseconds
      log.warning("cannot reach upstream; trying again at least every \(pause) ms", metadata: metadata)
    case .stillUnreached:
      log.debug("cannot reach upstream", metadata: metadata)
    }
  }

  package func transport(
    _ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int
  ) -> Bool {
    now()
    return core.exchangeAnswered(task, bytes, count: count, over: upstream)
  }

  package func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int) {
    now()
    core.exchangeGave(task, bytes, count: count, over: upstream)
    flushEarly()
  }

  package func transport(_ upstream: UpstreamID, delivered task: TaskID) {
    now()
    core.exchangeDelivered(task, over: upstream)
  }

  package func transport(
    _ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String
  ) {
    now()
    exchangeFailed(connections.name(of: upstream), reason)
    core.exchangeFailed(task, failure, over: upstream)
  }

  package func transport(_ upstream: UpstreamID, lost reason: String) {
    exchangeFailed(connections.name(of: upstream), reason)
    core.exchangeLost(over: upstream)
  }

  package func transport(_ upstream: UpstreamID, said line: String) {
    log.info(
      "upstream says", metadata: ["upstream": "\(connections.name(of: upstream))", "line": "\(line)"])
  }
}
