package import JSONRPC

/// Hears what comes over a client's connection.
package protocol ClientConnectionDelegate: AnyObject {
  /// A whole message, scanned; `message` is its range in `bytes`.
  func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>)
  /// The connection is gone, or what came over it is no JSON-RPC; nothing more follows.
  func connection(_ connection: ClientConnection, closed reason: String)
}
