package import GatewayCore
import JSONRPC
package import LibUV

/// An upstream that is Swift code in the process; it speaks the same lines as one behind a socket.
package final class HandlerTransport: ByteTransport {
  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  package let name: String
  private let handler: any RequestHandler
  private let loop: EventLoop
  private var session: HandlerSession?
  private var connecting: LoopTimer?
  private var failure: UVError?

  package init(_ id: UpstreamID, _ handler: any RequestHandler, name: String, on loop: EventLoop) {
    self.id = id
    self.handler = handler
    self.name = name
    self.loop = loop
  }

  package func connect() {
    do throws(UVError) {
      // The core has checked the limits. A message is a little longer here, as it has another id.
      let limits = ScanLimits(nestingLevels: JSONText.depthLimit, idBytes: .max, methodBytes: .max)
      session = try HandlerSession(handler, lineLimitBytes: .max, limits: limits, on: loop) {
        [unowned self] in
        answered($0)
      }
      failure = nil
    } catch {
      failure = error
    }
    connecting = LoopTimer(on: loop) { [unowned self] in self.connected() }
    connecting?.start(afterMilliseconds: 0)
  }

  private func connected() {
    connecting?.close()
    connecting = nil
    if let failure {
      delegate?.transport(id, disconnected: failure.description)
    } else {
      delegate?.transportConnected(id)
    }
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard let session else { return 0 }
    var bytes: [UInt8] = []
    for index in chunks.indices { unsafe bytes.append(contentsOf: chunks[index]) }
    let count = bytes.count
    bytes.appendSlack()
    session.received(bytes.span, count: count)
    return count
  }

  private func answered(_ line: [UInt8]) {
    var line = line
    let count = line.count
    line.appendSlack()
    delegate?.transport(id, received: line.span, count: count)
  }

  /// A handler has no input to end.
  package func end() {}
  package let isWriting = false
  package let hasEndedWell = false
  package let endsWithItsWork = false

  package func disconnect() {
    connecting?.close()
    connecting = nil
    session?.end()
    session = nil
  }
}

@available(*, unavailable)
extension HandlerTransport: Sendable {}

extension [UInt8] {
  /// Appends the bytes that the scanner may read behind a message's end.
  fileprivate mutating func appendSlack() {
    append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
  }
}
