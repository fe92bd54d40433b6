package import GatewayCore
package import LibUV

/// Carries bytes to and from one client: nothing more. What they mean is the core's business.
package protocol ClientTransport: AnyObject {
  /// Reads from now on, and tells the delegate what comes, never from within this call.
  /// - Parameter client: what the delegate knows it by.
  func start(as client: ClientID, _ delegate: any ClientTransportDelegate)
  /// Returns how many bytes were taken; if fewer than given, `clientBecameWritable` or `clientDisconnected` follows,
  /// never from within this call.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  /// Where the client is, as ADDRESS:PORT; nil: nobody knows.
  var peerAddress: String? { get }
  /// How it reaches the gateway.
  var way: ClientWay { get }
  /// What is known of the client from bytes that have not been read.
  var peerState: PeerState { get }
  /// How many bytes the transport took that have not left.
  var inFlightByteCount: Int { get }
  /// How much memory it takes by itself, when it starts; its delegate hears when that changes.
  var ownByteCount: Int { get }
  /// Its client has said before its first bytes that it speaks HTTP.
  var isHTTPOnly: Bool { get }
  /// Reads no further, or goes on.
  func setReading(_ isReading: Bool)
  /// Closes the connection once what was taken has left. The delegate hears nothing of it, nor of anything afterwards.
  func close()
  /// The same behind what is to be said last, as far as that is taken.
  func close(lastWords: [UInt8])
  /// The same at once: what was taken and has not left is lost.
  func drop()
}

extension ClientTransport {
  package var peerState: PeerState { PeerState() }
  package var ownByteCount: Int { 0 }
  package var isHTTPOnly: Bool { false }

  package func close(lastWords: [UInt8]) {
    if !lastWords.isEmpty { _ = write(lastWords) }
    close()
  }
}
