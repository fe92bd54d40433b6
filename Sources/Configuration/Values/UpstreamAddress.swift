package import Addresses
import TOML

/// The address of an upstream.
package enum UpstreamAddress: Hashable, Sendable {
  case socket(SocketAddress)
  /// A TCP address under TLS.
  case tls(SocketAddress)
  /// A program and its arguments: the gateway starts it, and uses its standard input and output.
  case command([String])
  case http(HTTPAddress)
  /// A server of the Model Context Protocol, over streamable HTTP.
  case mcp(HTTPAddress)
  /// The gateway's own handler of echo, sleep, search and write.
  case demo

  /// The kind of an address, which decides which settings apply.
  package enum Kind: Hashable, Sendable {
    case socket, tls, command, http, mcp, demo
  }

  package var kind: Kind {
    switch self {
    case .socket: .socket
    case .tls: .tls
    case .command: .command
    case .http: .http
    case .mcp: .mcp
    case .demo: .demo
    }
  }
}

extension UpstreamAddress {
  /// The address to connect to; nil: it is not known, or there is none.
  var socketAddress: SocketAddress? {
    switch self {
    case .socket(let address), .tls(let address): address
    case .http(let address), .mcp(let address): address.socketAddress
    case .command, .demo: nil
    }
  }

  var isOverTCP: Bool {
    switch self {
    case .socket(.tcp), .tls, .http, .mcp: true
    case .socket(.unix), .command, .demo: false
    }
  }

  var isSecure: Bool {
    switch self {
    case .http(let address), .mcp(let address): address.isSecure
    case .socket, .tls, .command, .demo: false
    }
  }
}

extension UpstreamAddress {
  /// The whole command as the value of a setting.
  package static func setting(ofCommand words: [String]) -> String {
    UpstreamAddress.command(words).settingText
  }

  /// A command without likely secrets.
  package static func shownText(ofCommand words: [String]) -> String { CommandWords(words).shownText }
}

/// The description leaves secrets out.
extension UpstreamAddress: CustomStringConvertible {
  package var description: String { shownText }
}

extension UpstreamAddress: SettingText {
  static let form = "tcp:HOST:PORT, tls:HOST:PORT, unix:PATH, exec:COMMAND, [mcp+]http[s]://… or demo"
  private static let commandScheme = "exec:"
  private static let mcpScheme = "mcp+"

  var settingText: String {
    switch self {
    case .http(let address): address.text
    case .mcp(let address): Self.mcpScheme + address.text
    case .command(let words): Self.commandScheme + CommandWords(words).text
    case .socket, .tls, .demo: shownText
    }
  }

  var shownText: String {
    switch self {
    case .socket(let address): address.textWithScheme
    case .tls(let address): "tls:" + address.textWithScheme.dropFirst("tcp:".count)
    case .command(let words): Self.commandScheme + CommandWords(words).shownText
    case .http(let address): address.shownText
    case .mcp(let address): Self.mcpScheme + address.shownText
    case .demo: "demo"
    }
  }

  init(setting text: String) throws(Mistake) {
    let scheme = text.prefix { $0 != ":" }
    switch (scheme, SocketAddress(parsing: text)) {
    case ("demo", _) where text == "demo": self = .demo
    case ("exec", _) where scheme != text: self = try .command(Self.words(text))
    case ("http", _) where scheme != text, ("https", _) where scheme != text:
      self = try .http(HTTPAddress(setting: text))
    case ("mcp+http", _) where scheme != text, ("mcp+https", _) where scheme != text:
      self = try .mcp(HTTPAddress(setting: String(text.dropFirst(Self.mcpScheme.count))))
    case ("tls", _) where scheme != text: self = try .tls(Self.connectable(Self.secureAddress(text)))
    case ("tcp", let address?), ("unix", let address?): self = try .socket(Self.connectable(address))
    case (_, _?) where !text.contains("@"):
      throw Mistake("\(Self.mistake(text).message); did you mean \(Quoted.text("tcp:\(text)"))?")
    default: throw Self.refused(text)
    }
  }

  /// Checks that a server can listen at the address: its port is not 0.
  private static func connectable(_ address: SocketAddress) throws(Mistake) -> SocketAddress {
    try address.checkPath()
    if case .tcp(_, 0) = address {
      throw Mistake("must have a port of 1 to 65535, where somebody listens, not 0")
    }
    return address
  }

  private static func secureAddress(_ text: String) throws(Mistake) -> SocketAddress {
    guard let address = SocketAddress(parsing: "tcp:" + text.dropFirst("tls:".count)) else {
      throw mistake(text)
    }
    guard FileConfiguration.hasTLS else {
      throw Mistake("must not be a tls: address: \(FileConfiguration.withoutTLS)")
    }
    return address
  }

  func checkPlace(behind others: [Self]) throws(Mistake) {
    guard let first = others.first, first.kind != kind else { return }
    throw Mistake("must all be of one kind: here stands \(kind.name), the first is \(first.kind.name)")
  }

  private static func words(_ text: String) throws(Mistake) -> [String] {
    let words: [String]
    do throws(CommandWords.Fault) {
      words = try CommandWords(parsing: String(text.dropFirst(commandScheme.count))).words
    } catch {
      switch error {
      case .openQuote(let quote):
        throw Mistake("must be \(form): a \(quote) of it is not closed")
      case .nothingBehindBackslash:
        throw Mistake("must be \(form): nothing follows its last \\")
      }
    }
    guard let program = words.first, !program.isEmpty else { throw refused(text) }
    return words
  }

  private static func refused(_ text: String) -> Mistake { mistake(beginning(of: text)) }

  /// Only the beginning of a text that is meant as a URL or a command: the rest may be secret.
  private static func beginning(of text: String) -> String {
    if text.contains("@") { return "…" }
    let end = text.contains("://") ? text.firstIndex(of: ":") : text.firstIndex { " \t?".contains($0) }
    return end.map { text[..<$0] + "…" } ?? text
  }
}

extension UpstreamAddress.Kind {
  /// The name of the kind in a sentence.
  var name: String {
    switch self {
    case .socket: "a socket"
    case .tls: "a socket under TLS"
    case .command: "a command"
    case .http: "a URL"
    case .mcp: "a URL of MCP"
    case .demo: "demo"
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
