import GatewayCore

/// The callers of the playground, by name, and how they connect.
enum PlaygroundCaller: String, CaseIterable {
  /// A tab of a browser, which stays connected.
  case ann
  /// A script, with a POST for each request.
  case ben

  var kind: ClientKind {
    switch self {
    case .ann: .messages
    case .ben: .exchange
    }
  }

  var way: ClientWay {
    switch self {
    case .ann: ClientWay(.webSocket, isSecure: true)
    case .ben: ClientWay(.http)
    }
  }
}
