#if HTTPUpstreams
import CLibCurl
package import LibUV

/// POSTs that are no tasks' requests: each answer is heard whole, or as it comes.
package final class HTTPPosts {
  package typealias Number = Int

  private let loop: EventLoop
  private let bounds: TransportBounds
  private let calls: HTTPCalls
  private var posts: [Number: HTTPTransfer] = [:]
  private var postsSoFar = 0

  /// Why the last that has ended had no answer; nil: it had one.
  package private(set) var failure: String?

  /// Why this machine cannot do it; nil: it can.
  package static var fault: String? { HTTPLibrary.fault }

  /// - Parameters:
  ///   - answerBytes: longer answers are none.
  ///   - connections: so many are kept open for the next.
  package init(answerBytes: Int, connectMilliseconds: UInt64, connections: Int, on loop: EventLoop) {
    self.loop = loop
    bounds = TransportBounds(
      messageLimitBytes: answerBytes, connectMilliseconds: connectMilliseconds, connectingLimit: connections)
    calls = HTTPCalls(connections: connections, on: loop)
  }

  /// - Parameters:
  ///   - limitMilliseconds: an answer that is not whole by then is none; nil: it may go on for ever.
  ///   - onPart: hears of the answer as it comes, if it is not to be kept.
  ///   - onEnd: gets the answer, whatever its status; nil: there is none. Empty where it was heard in parts.
  @discardableResult
  package func post(
    _ body: [UInt8], to endpoint: HTTPEndpoint, limitMilliseconds: UInt64? = nil,
    onPart: (([UInt8]) -> Void)? = nil, onEnd: @escaping ([UInt8]?) -> Void
  ) -> Number? {
    let now = loop.nowMilliseconds
    let request = HTTPRequest(body, deadline: limitMilliseconds.map { now + $0 } ?? .max)
    postsSoFar += 1
    let number = postsSoFar
    let listener = HTTPCalls.Listener { [unowned self] transfer, code in
      posts[number] = nil
      onEnd(answer(of: transfer, code))
    }
    posts[number] = calls.begin(request, to: endpoint, bounds, listener) { $0.onPart = onPart }
    return posts[number] == nil ? nil : number
  }

  /// Nobody wants its answer any more.
  package func cancel(_ number: Number) {
    posts.removeValue(forKey: number).map(calls.end)
  }

  package func close() {
    posts = [:]
    calls.close()
  }

  private func answer(of transfer: HTTPTransfer, _ code: CURLcode) -> [UInt8]? {
    let isHeardInParts = transfer.onPart != nil
    failure = nil
    switch transfer.takeOutcome(code) {
    case .answer(let bytes, let count): return Array(bytes.prefix(count))
    case .accepted: return []
    case .failure(_, let reason):
      if isHeardInParts && code == CURLE_OK { return [] }
      failure = reason
      return nil
    }
  }
}

@available(*, unavailable)
extension HTTPPosts: Sendable {}
#else
package import LibUV

/// Needs libcurl, which this program was built without.
package final class HTTPPosts {
  package typealias Number = Int
  package let failure: String? = nil
  package static let fault: String? =
    "this program was built without libcurl (the package trait HTTPUpstreams)"
  package init(answerBytes: Int, connectMilliseconds: UInt64, connections: Int, on loop: EventLoop) {}
  @discardableResult
  package func post(
    _ body: [UInt8], to endpoint: HTTPEndpoint, limitMilliseconds: UInt64? = nil,
    onPart: (([UInt8]) -> Void)? = nil, onEnd: @escaping ([UInt8]?) -> Void
  ) -> Number? { nil }
  package func cancel(_ number: Number) {}
  package func close() {}
}

@available(*, unavailable)
extension HTTPPosts: Sendable {}
#endif
