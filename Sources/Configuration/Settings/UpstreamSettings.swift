package import GatewayCore
package import JSONRPC

/// A JSON-RPC server behind the gateway, or several that do the same work.
package struct UpstreamSettings: SettingValues {
  /// What the gateway has as it is said here.
  package internal(set) var core = UpstreamOptions()

  package static let most = 64
  static let mostAddresses = 64

  package var name = UpstreamName(description: "main")
  /// At least one, all of one kind.
  package private(set) var endpoints = [UpstreamAddress.demo]
  private var isList = false
  package var framing: Framing?
  package var isPerConnection = false
  /// Each request has a connection or child of its own.
  package var isHard = false

  /// As `takesExchanges` has it, if nil.
  package var cancel: CancelDialect?
  package var cancelMethod: WireName?
  package var cancelMember: WireName?
  package var cancelAnswered: Bool?

  /// Of a command.
  package var directory: FilePath?
  package var environment: [EnvironmentEntry] = []
  package var graceMilliseconds: Int?

  /// Of a URL.
  package var headers: [HTTPHeader] = []
  package var deadlineHeader: HTTPHeaderName?
  package var stopsWhenAborted: Bool?
  package var caFile: FilePath?
  package var connections: Int?

  /// Of a tls: address.
  package var tlsCA: FilePath?
  package var tlsCertificate: FilePath?
  package var tlsKey: FilePath?
  /// The address's own host, if nil.
  package var tlsServerName: HostName?

  package init() {}
}

/// What is said in two ways, or not at all.
extension UpstreamSettings {
  package static let usualGraceMilliseconds = 2_000
  /// Requests that are at work at once where each needs a connection or child of its own.
  package static let usualExchanges = 64

  var address: UpstreamAddress? {
    get { isList ? nil : endpoints[0] }
    set {
      guard let newValue else { return }
      endpoints = [newValue]
      isList = false
    }
  }

  /// Empty, if there is one that is given by itself.
  var addresses: [UpstreamAddress] {
    get { isList ? endpoints : [] }
    set {
      guard !newValue.isEmpty else { return }
      endpoints = newValue
      isList = true
    }
  }

  package var kind: UpstreamAddress.Kind { endpoints[0].kind }
  /// Whether each request is an exchange of its own, which is aborted to cancel it.
  package var takesExchanges: Bool { isHard || kind == .http }
  package var dialect: CancelDialect {
    cancel ?? (kind == .mcp ? .mcp : takesExchanges ? .abort : .lsp)
  }
}
