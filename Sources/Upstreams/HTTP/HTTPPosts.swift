#if HTTPUpstreams
import CLibCurl
package import LibUV

/// POSTs that are no tasks' requests: each answer is heard whole, or as it comes.
package final class HTTPPosts {
  package typealias Number = Int

  private struct Post {
    let transfer: HTTPTransfer
    let onEnd: ([UInt8]?) -> Void
  }

  private let loop: EventLoop
  private let bounds: TransportBounds
  private var driver: HTTPDriver?
  private var posts: [ObjectIdentifier: (number: Number, post: Post)] = [:]
  private var postsSoFar = 0

  /// Why this machine cannot do it; nil: it can.
  package static var fault: String? { HTTPLibrary.fault }

  /// - Parameters:
  ///   - answerBytes: longer answers are none.
  ///   - connections: so many are kept open for the next.
  package init(answerBytes: Int, connectMilliseconds: UInt64, connections: Int, on loop: EventLoop) {
    self.loop = loop
    bounds = TransportBounds(
      messageLimitBytes: answerBytes, connectMilliseconds: connectMilliseconds, connectingLimit: connections)
    // As with upstreams: without the library nothing of it may be called.
    guard HTTPLibrary.fault == nil else { return }
    driver = HTTPDriver(
      idleConnections: connections, on: loop, onEnd: { [unowned self] in ended($0, $1) }, onProgress: {})
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
    guard let driver, let transfer = HTTPTransfer() else { return nil }
    let now = loop.nowMilliseconds
    let request = HTTPRequest(body, deadline: limitMilliseconds.map { now + $0 } ?? .max)
    transfer.prepare(request, for: endpoint, bounds, now: now)
    transfer.onPart = onPart
    postsSoFar += 1
    posts[ObjectIdentifier(transfer)] = (postsSoFar, Post(transfer: transfer, onEnd: onEnd))
    guard driver.add(transfer) else {
      posts[ObjectIdentifier(transfer)] = nil
      return nil
    }
    return postsSoFar
  }

  /// Nobody wants its answer any more.
  package func cancel(_ number: Number) {
    guard let (name, found) = posts.first(where: { $0.value.number == number }) else { return }
    posts[name] = nil
    driver?.remove(found.post.transfer)
  }

  package func close() {
    for (_, post) in posts.values { driver?.remove(post.transfer) }
    posts = [:]
    driver?.close()
    driver = nil
  }

  private func ended(_ transfer: HTTPTransfer, _ code: CURLcode) {
    guard let (_, post) = posts.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
    let isHeardInParts = transfer.onPart != nil
    switch transfer.takeOutcome(code) {
    case .answer(let bytes, let count): post.onEnd(Array(bytes.prefix(count)))
    case .accepted: post.onEnd([])
    case .failure: post.onEnd(isHeardInParts && code == CURLE_OK ? [] : nil)
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
