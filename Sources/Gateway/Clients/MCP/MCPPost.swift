import GatewayCore
import HTTP1

/// A request of HTTP in a session of the Model Context Protocol, and what has come of it.
final class MCPPost {
  enum Purpose {
    case message
    /// It opens the stream over which the server says what belongs to no request.
    case listen
    case end
  }

  let purpose: Purpose
  /// Which session it names.
  let sessionName: String?
  /// The token by which its client authenticates.
  let token: String?
  /// The response may be a stream of events.
  let takesEvents: Bool
  var content: [UInt8] = []
  /// How much of that may come.
  var contentLimitBytes = Int.max
  /// The session that it names, if that has said before the content came that it is its client's.
  var knownSession: MCPSession?
  /// The session that has, or had, to judge its token.
  var judge: MCPSession?
  /// Which it belongs to, as soon as that is known.
  var session: MCPSession?
  /// Of the request that it is, among those of its session; nil: it is none, or has not come there.
  var number: UInt64?

  init(_ head: HTTPRequestHead, asksWho: Bool) throws(HTTPFault) {
    purpose =
      switch head.method {
      case "GET": .listen
      case "DELETE": .end
      default: .message
      }
    sessionName = try head.fields.single("Mcp-Session-Id")
    token = asksWho ? try HTTPConnection.token(of: head) : nil
    takesEvents = PostTerms.takesEvents(head)
  }
}

@available(*, unavailable)
extension MCPPost: Sendable {}
