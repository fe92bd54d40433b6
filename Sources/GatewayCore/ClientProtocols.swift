/// How clients may speak on one listener, and whose pages may come there by HTTP and WebSocket.
package struct ClientProtocols: Hashable, Sendable {
  /// What can be spoken.
  package struct Kinds: OptionSet, Hashable, Sendable {
    /// A message a line.
    package static let lines = Kinds(rawValue: 1)
    /// A head with `Content-Length` before each message.
    package static let contentLength = Kinds(rawValue: 2)
    /// POST of HTTP/1.1.
    package static let http = Kinds(rawValue: 4)
    package static let webSocket = Kinds(rawValue: 8)
    package static let all: Kinds = [.lines, .contentLength, .http, .webSocket]

    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// In `origins`: pages of every origin may come.
  package static let everyOrigin = "*"

  /// By which clients under TLS name HTTP/1.1, WebSocket included (ALPN).
  package static let httpName = "http/1.1"

  package var protocols = Kinds.all
  /// Of pages that may come, as browsers write them; or `everyOrigin`.
  package var origins: [String] = []
  /// Names, besides `localhost`, by which the listener may be asked, in small letters.
  package var hosts: [String] = []

  /// Where sessions of the Model Context Protocol are spoken to by HTTP; nil: nowhere.
  package var mcpPath: String?

  /// A client that asks by HTTP and sends no more waits for its replies; else it has gone.
  package var answersAfterEnd = false

  package init() {}

  package var speaksHTTP: Bool { !protocols.isDisjoint(with: [.http, .webSocket]) }
}
