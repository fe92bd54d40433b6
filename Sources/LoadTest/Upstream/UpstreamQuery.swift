import JSONRPC

/// The requests of the load client to the bundled upstream itself, past the gateway.
enum UpstreamQuery {
  /// To be told of each cancel of a run that is heard from now on.
  case watch
  /// To be told the work of a run.
  case report

  init?(_ method: ByteRange, in bytes: Span<UInt8>) {
    if JSONString.equals(method, in: bytes, "load.watch") {
      self = .watch
    } else if JSONString.equals(method, in: bytes, "load.report") {
      self = .report
    } else {
      return nil
    }
  }
}
