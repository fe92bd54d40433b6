package import GatewayCore
package import LibUV
import Logging
package import TaskStore
import Upstreams

extension GatewayServer: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    now()
    hasHeard = true
    core.received(bytes, count: count, from: ClientID(slot: Int(stream.token)))
    flushEarly()
  }

  package func streamEnded(_ stream: ByteStream) {
    now()
    core.clientEnded(ClientID(slot: Int(stream.token)))
  }

  package func stream(_ stream: ByteStream, failed error: UVError) {
    now()
    let client = ClientID(slot: Int(stream.token))
    connections.forget(client)
    core.clientDisconnected(client)
  }

  package func streamBecameWritable(_ stream: ByteStream) {
    core.clientBecameWritable(ClientID(slot: Int(stream.token)))
  }
}

extension GatewayServer: UpstreamTransportDelegate {
  package func transportConnected(_ upstream: UpstreamID) {
    now()
    log.info("upstream connected", metadata: ["upstream": "\(connections.name(of: upstream))"])
    core.upstreamConnected(upstream)
  }

  package func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    now()
    core.upstreamReceived(bytes, count: count, from: upstream)
    flushEarly()
  }

  package func transportBecameWritable(_ upstream: UpstreamID) {
    core.upstreamBecameWritable(upstream)
  }

  package func transport(_ upstream: UpstreamID, disconnected reason: String) {
    now()
    log.warning(
      "upstream disconnected",
      metadata: ["upstream": "\(connections.name(of: upstream))", "reason": "\(reason)"])
    core.upstreamDisconnected(upstream)
  }

  package func transport(
    _ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int
  ) {
    now()
    core.exchangeAnswered(task, bytes, count: count, over: upstream)
  }

  package func transport(_ upstream: UpstreamID, failed task: TaskID, wasSent: Bool, reason: String) {
    now()
    exchangeFailed(connections.name(of: upstream), reason)
    core.exchangeFailed(task, wasSent: wasSent, over: upstream)
  }

  package func transport(_ upstream: UpstreamID, said line: String) {
    log.info(
      "upstream says", metadata: ["upstream": "\(connections.name(of: upstream))", "line": "\(line)"])
  }
}
