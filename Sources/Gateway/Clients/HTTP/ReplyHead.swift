import HTTP1
import JSONRPC

/// The HTTP status of a reply (decision 0042): 200 for any reply, unless the gateway itself refuses a request of which
/// upstream has not heard. An upstream's own error with a code of such a refusal has that status, too.
struct ReplyHead: Equatable {
  var status = HTTPStatus.ok
  /// After so many seconds it may come again.
  var retrySeconds: Int?

  init(_ status: HTTPStatus = .ok, retrySeconds: Int? = nil) {
    self.status = status
    self.retrySeconds = retrySeconds
  }

  /// - Parameter reply: a reply as the core writes it, or its beginning.
  init(of reply: Span<UInt8>) {
    guard let code = Self.errorCode(reply) else { return }
    switch code {
    case RPCError.parseError.code: status = .badRequest
    case RPCError.tooLarge.code: status = .contentTooLarge
    case RPCError.unauthenticated.code: status = .unauthorized
    case RPCError.forbidden.code: status = .forbidden
    case RPCError.overloaded.code, RPCError.shuttingDown.code, RPCError.upstreamUnavailable.code:
      // Proxies send such a request once more: it must not have been sent on.
      guard Self.find("\"upstream\":\"notSent\"", in: reply) != nil else { return }
      guard let place = Self.find("\"retryAfterMs\":", in: reply) else {
        status = .unavailable
        return
      }
      status = .tooManyRequests
      retrySeconds = max(1, (Self.number(reply, at: place) + 999) / 1_000)
    default: break
    }
  }

  /// There may be room later.
  var isForWantOfRoom: Bool { status == .tooManyRequests || status == .unavailable }

  private static let beginning: StaticString = "{\"jsonrpc\":\"2.0\",\"id\":"
  private static let error: StaticString = ",\"error\":{\"code\":-"

  /// The code of an error, its sign changed; nil of a result, and of an array.
  private static func errorCode(_ reply: Span<UInt8>) -> Int? {
    guard reply.holds(beginning, at: 0) else { return nil }
    var place = beginning.utf8CodeUnitCount
    var isInString = false
    // The id: a string has no quote that is not escaped.
    while place < reply.count, isInString || reply[place] != UInt8(ascii: ",") {
      if reply[place] == UInt8(ascii: "\\") {
        place += 1
      } else if reply[place] == UInt8(ascii: "\"") {
        isInString.toggle()
      }
      place += 1
    }
    guard reply.holds(error, at: place) else { return nil }
    return -number(reply, at: place + error.utf8CodeUnitCount)
  }

  private static func number(_ bytes: Span<UInt8>, at place: Int) -> Int {
    var (number, place) = (0, place)
    while place < bytes.count, HTTPText.isDigit(bytes[place]), number < 1_000_000_000 {
      number = number * 10 + Int(bytes[place] - UInt8(ascii: "0"))
      place += 1
    }
    return number
  }

  /// Where it ends.
  private static func find(_ text: StaticString, in bytes: Span<UInt8>) -> Int? {
    for place in bytes.indices where bytes.holds(text, at: place) { return place + text.utf8CodeUnitCount }
    return nil
  }
}

extension Span<UInt8> {
  fileprivate func holds(_ text: StaticString, at place: Int) -> Bool {
    let end = place + text.utf8CodeUnitCount
    return end <= count && holds(text, in: place..<end)
  }
}
