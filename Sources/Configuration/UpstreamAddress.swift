package import LibUV

/// What stands behind the gateway.
package enum UpstreamAddress: Hashable, Sendable, CustomStringConvertible {
  case socket(SocketAddress)
  /// The gateway's own handler of echo, sleep and search.
  case demo

  package var description: String {
    switch self {
    case .socket(let address): address.textWithScheme
    case .demo: "demo"
    }
  }
}

extension UpstreamAddress: SettingText {
  static let form = "tcp:HOST:PORT, unix:PATH or demo"
  /// Known to be wished for, so that the error can say more than that they are wrong.
  private static let laterSchemes = ["http", "https", "exec"]

  var settingText: String { description }

  init(setting text: String) throws(Mistake) {
    let scheme = text.prefix { $0 != ":" }
    if text == "demo" {
      self = .demo
    } else if Self.laterSchemes.contains(String(scheme)) && scheme.count < text.count {
      throw Mistake("must be \(Self.form): \(Quoted.text("\(scheme):")) is not supported yet")
    } else if let address = SocketAddress(parsing: text), scheme == "tcp" || scheme == "unix" {
      self = .socket(address)
    } else {
      throw Self.mistake(text)
    }
  }
}

extension SocketAddress {
  fileprivate var textWithScheme: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}
