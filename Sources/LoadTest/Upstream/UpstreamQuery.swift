import JSONRPC

/// What the load client asks the bundled upstream itself, past the gateway.
enum UpstreamQuery {
  /// From now on to be told when a cancel of a run is heard.
  case watch
  /// What a run was for work.
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
