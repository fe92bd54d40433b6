#if HTTPUpstreams
import CLibCurl
package import LibUV

/// Sends POSTs that belong to no task. Each answer is given whole, or in parts as it comes.
package final class HTTPPosts {
  package typealias Number = Int

  private let loop: EventLoop
  private let bounds: TransportBounds
  private let calls: HTTPCalls
  private var posts: [Number: HTTPTransfer] = [:]
  private var postsSoFar = 0

  /// Why the POST that ended last has no answer; nil: it has one.
  package private(set) var failure: String?

  /// Why POSTs cannot be sent on this machine; nil: they can.
  package static var fault: String? { HTTPLibrary.fault }

  /// - Parameters:
  ///   - answerBytes: the longest answer; a POST with a longer one counts as unanswered.
  ///   - connections: how many are kept open for later POSTs.
  package init(answerBytes: Int, connectMilliseconds: UInt64, connections: Int, on loop: EventLoop) {
    self.loop = loop
    bounds = TransportBounds(
      messageLimitBytes: answerBytes, connectMilliseconds: connectMilliseconds, connectingLimit: connections)
    calls = HTTPCalls(connections: connections, on: loop)
  }

  /// - Parameters:
  ///   - limitMilliseconds: how long the whole answer may take; nil: for ever.
  ///   - onPart: gets each part of the answer as it comes; the answer is then not kept.
  ///   - onEnd: gets the answer, whatever its status; empty if `onPart` got it; nil: there is none.
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

  /// Ends a POST; its callbacks are not called any more.
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
