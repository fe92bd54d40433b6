import GatewayCore
import Identity
import LibUV
import Logging
package import TLS
import Upstreams

/// Clients that come under TLS.
extension GatewayServer {
  func hearOfSecureClients() {
    secure.hearing = SecureClients.Hearing(
      secured: { [unowned self] in accept($0) },
      failed: { [unowned self] in handshakeFailed($0) },
      worked: { [unowned self] in handshakeWorked() },
      hold: { [unowned self] in noteArriving() })
    connections.handshakes = secure
  }

  func greet(_ stream: ByteStream, _ listener: Int) {
    stream.countsInFlight = true
    stream.reader = .client
    secure.greet(stream, listener)
  }

  /// The clock is looked at each time, and where time is up, others that want to shake hands wait for the next turn.
  private func handshakeWorked() {
    turnClock.hasShakenHands()
    readLess()
  }

  /// To take it apart costs as much as a few messages.
  private func handshakeFailed(_ reason: String) {
    hasTaken(TurnClock.bytesPerRead)
    failedHandshakes.log(
      "no client came of a connection to a listener with TLS", ["reason": "\(reason)"], to: log,
      atMilliseconds: loop.nowMilliseconds)
  }

  /// Other certificates for what comes from now on, by listener and by upstream. Connections stay as they are, but for
  /// clients whose certificate is not trusted any more.
  package func renew(listeners: [TLSContext?], upstreams: [TLSContext?], fleet: FleetTLS? = nil) {
    if let fleet {
      asking?.tls = fleet
      owning?.tls = fleet
    }
    secure.renew(listeners)
    for (upstream, context) in zip(options.upstreams, upstreams) {
      if let context { upstream.tls?.context = context }
    }
  }
}
