package import Addresses
import JSONRPC

/// Writes POSTs of one client: what stands before the length of their content is prepared.
package struct PostHead: Sendable {
  private let beforeLength: [UInt8]

  /// - Parameters:
  ///   - address: where the gateway is.
  ///   - session: what the client's POSTs have in common.
  ///   - token: authenticates the POST; nil: nothing does.
  ///   - wantsEvents: replies are to be events.
  package init(to address: SocketAddress, session: String, token: String?, wantsEvents: Bool) {
    var text = "POST / HTTP/1.1\r\nHost: \(Self.host(address))\r\nContent-Type: application/json\r\n"
    text += "Lastword-Session: \(session)\r\n"
    if wantsEvents { text += "Accept: text/event-stream\r\n" }
    if let token { text += "Authorization: Bearer \(token)\r\n" }
    beforeLength = Array((text + "Content-Length: ").utf8)
  }

  package func write(_ content: Span<UInt8>, into output: inout [UInt8]) {
    output.append(beforeLength.span)
    output.append(decimal: UInt64(content.count))
    output.append("\r\n\r\n")
    output.append(content)
  }

  /// The value of `Host`; for a Unix socket it is ignored.
  static func host(_ address: SocketAddress) -> String {
    switch address {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix: "localhost"
    }
  }

  /// A unique name of a session, of 22 characters or more.
  package static func session(run: UInt64, client: Int) -> String {
    let digits = String(client)
    return "load-\(run)-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
