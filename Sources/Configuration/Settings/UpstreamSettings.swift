package import GatewayCore
package import JSONRPC

/// A JSON-RPC server behind the gateway, or several servers that do the same work.
package struct UpstreamSettings: SettingValues {
  /// The core's options, with the settings that they have in the same form.
  package internal(set) var core = UpstreamOptions()

  package static let most = 64
  static let mostAddresses = 64

  package var name = UpstreamName(description: "main")
  /// The addresses of its servers: at least one, all of the same kind.
  package private(set) var endpoints = [UpstreamAddress.demo]
  private var isList = false
  package var framing: Framing?
  package var isPerConnection = false
  /// Whether each request has a connection or child of its own.
  package var isHard = false
  package var keepAliveMilliseconds = 60_000

  /// How requests are cancelled; nil: as `takesExchanges` implies.
  package var cancel: CancelDialect?
  package var cancelMethod: WireName?
  package var cancelMember: WireName?
  package var cancelAnswered: Bool?

  /// The working directory of a command.
  package var directory: FilePath?
  package var environment: [EnvironmentEntry] = []
  package var graceMilliseconds: Int?

  /// The header fields for a URL.
  package var headers: [HTTPHeader] = []
  package var deadlineHeader: HTTPHeaderName?
  package var stopsWhenAborted: Bool?
  package var caFile: FilePath?
  package var connections: Int?

  /// The authorities for a `tls:` address.
  package var tlsCA: FilePath?
  package var tlsCertificate: FilePath?
  package var tlsKey: FilePath?
  /// The name that the server's certificate has to be for; nil: the host of the address.
  package var tlsServerName: HostName?

  package init() {}
}

/// Settings that follow from others.
extension UpstreamSettings {
  package static let usualGraceMilliseconds = 2_000
  /// The default of requests at once, if each needs a connection or child of its own.
  package static let usualExchanges = 64

  var address: UpstreamAddress? {
    get { isList ? nil : endpoints[0] }
    set {
      guard let newValue else { return }
      endpoints = [newValue]
      isList = false
    }
  }

  /// The addresses, if there are several; empty: `address` has the only one.
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
