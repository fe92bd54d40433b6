import HotData
import JSONRPC
import TaskStore

/// Errors for texts that are no message: the fault, the byte where it is, and the remedy.
extension Edge {
  /// The answer to HTTP, which ends the connection.
  static let answerToHTTP = httpHead + "\(httpBody.utf8.count)\r\n\r\n" + httpBody

  private static let httpHead =
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: "

  private static let httpBody = """
    This port speaks JSON-RPC 2.0: one message per line or framed by Content-Length, and over HTTP/1.1 where that is served.
    To try it: lastword call lastword.ping --to HOST:PORT

    """

  /// A text is no JSON, which shows at an offset.
  /// - Parameter last: what came before it.
  mutating func refuseText(
    _ bytes: Span<UInt8>, _ text: Range<Int>, wrongAt offset: Int, behind last: LastText, from client: Int
  ) {
    let place = offset - text.lowerBound
    guard clients[client].framing == .lines, !clients[client].listener.hasMessages else {
      return refuseText("parse error at byte \(place)", of: client)
    }
    if goesOn(bytes, text, behind: last, of: client) { return }
    let looksLikeJSON = looksLikeJSON(bytes, text)
    if last == .none && !looksLikeJSON { return turnAway(bytes, text, of: client) }
    guard looksLikeJSON && place == text.count else {
      return refuseText("parse error at byte \(place)", of: client)
    }
    clients[client].lastText = .cutOff
    refuseText(
      "parse error at byte \(place): the line ends before its JSON; send one message per line", of: client)
  }

  mutating func refuseText(tooDeepAt place: Int, from client: Int) {
    let levels = configuration.scan.nestingLevels
    refuseText("parse error at byte \(place): nested deeper than nestingLevels (\(levels))", of: client)
  }

  private mutating func refuseText(_ message: String, of client: Int) {
    refuseMessage(.parseError.with(message: message), from: Sender(client: client))
  }

  /// Whether a line that holds no message goes on with a text of several lines: the client has heard of that.
  mutating func goesOn(
    _ bytes: Span<UInt8>, _ line: Range<Int>, behind last: LastText, of client: Int
  ) -> Bool {
    guard last == .cutOff else { return false }
    switch bytes[line.lowerBound] {
    case UInt8(ascii: " "), UInt8(ascii: "\t"):
      clients[client].lastText = .cutOff
      return true
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return true
    default: return false
    }
  }

  /// Whether a text begins as an object or array does.
  private func looksLikeJSON(_ bytes: Span<UInt8>, _ text: Range<Int>) -> Bool {
    for index in text {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): return true
      default: return false
      }
    }
    return false
  }

  /// A first line that cannot be meant for us (HTTP, TLS) is answered once and ends the connection.
  private mutating func turnAway(_ bytes: Span<UInt8>, _ line: Range<Int>, of client: Int) {
    if isHTTP(bytes, line) {
      counters.invalid += 1
      let answer = Array(Self.answerToHTTP.utf8)
      clients[client].output.append(answer.span)
      markDirty(client)
    } else {
      refuseText("parse error at byte 0: this port speaks JSON-RPC 2.0, one message per line", of: client)
    }
    clients[client].goOn(to: .closing)
  }

  /// Whether a line ends as a request's first one does in HTTP (RFC 9112, section 3).
  private func isHTTP(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Bool {
    let versionByteCount = 3
    guard line.count > versionByteCount else { return false }
    let version = line.suffix(versionByteCount)
    let name = line.dropLast(versionByteCount).suffix(httpName.utf8CodeUnitCount)
    return bytes.holds(httpName, in: name) && bytes[version.lowerBound + 1] == UInt8(ascii: ".")
  }

  /// Nothing more comes of a message that has begun: the client hears why it gets no answer.
  /// - Parameter isUnseen: what has come of it is still at the shell.
  mutating func refuseHalf(of client: Int, because reason: String, isUnseen: Bool = false) {
    guard clients[client].isReading, isUnseen || clients[client].framer.holdsPart else { return }
    let isLine = clients[client].framing == .lines && !clients[client].listener.hasMessages
    refuseText(reason + (isLine ? ": a line ends with a line feed" : ""), of: client)
  }
}

private let httpName: StaticString = " HTTP/"
