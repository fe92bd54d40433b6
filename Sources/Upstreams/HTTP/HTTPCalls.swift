#if HTTPUpstreams
import CLibCurl
import LibUV

/// Runs HTTP requests that share connections, and tells each request's listener its outcome. Listeners are never called
/// from within a call of libcurl's.
final class HTTPCalls {
  /// The callbacks of one request.
  struct Listener {
    /// Called when messages have come, or when the whole content has been sent.
    var onNews: (HTTPTransfer) -> Void = { _ in }
    /// Called once, when the request has ended, but not after `end` or `close`.
    let onEnd: (HTTPTransfer, CURLcode) -> Void
  }

  private let loop: EventLoop
  private var driver: HTTPDriver?
  private var running: [ObjectIdentifier: (transfer: HTTPTransfer, listener: Listener)] = [:]
  /// Transfers with news that their listeners have not heard.
  private var newsworthy: [HTTPTransfer] = []

  /// - Parameter connections: how many are kept open for later requests.
  init(connections: Int, on loop: EventLoop) {
    self.loop = loop
    // Without the library none of its functions may be called.
    guard HTTPLibrary.fault == nil else { return }
    driver = HTTPDriver(
      idleConnections: connections, on: loop, onEnd: { [unowned self] in ended($0, $1) },
      onProgress: { [unowned self] in tellNews() })
  }

  var isEmpty: Bool { running.isEmpty }

  /// - Parameter prepare: called with the transfer before it runs.
  /// - Returns: the transfer; nil: the request cannot be run, and its listener is not called.
  func begin(
    _ request: HTTPRequest, to endpoint: HTTPEndpoint, _ bounds: TransportBounds, _ listener: Listener,
    prepare: (HTTPTransfer) -> Void = { _ in }
  ) -> HTTPTransfer? {
    guard let driver, let transfer = HTTPTransfer() else { return nil }
    transfer.prepare(request, for: endpoint, bounds, now: loop.nowMilliseconds)
    transfer.onNews = { [unowned self, unowned transfer] in newsworthy.append(transfer) }
    prepare(transfer)
    running[ObjectIdentifier(transfer)] = (transfer, listener)
    if driver.add(transfer) { return transfer }
    running[ObjectIdentifier(transfer)] = nil
    return nil
  }

  /// Ends a request and its connection; its listener is not called any more.
  func end(_ transfer: HTTPTransfer) {
    guard running[ObjectIdentifier(transfer)] != nil else { return }
    // A lookup of a name cannot be stopped: until it is over, the transfer keeps its place, so that lookups do not pile
    // up.
    if transfer.isLookingUp {
      running[ObjectIdentifier(transfer)]?.listener = Listener(onEnd: { _, _ in })
      return transfer.abandon()
    }
    running[ObjectIdentifier(transfer)] = nil
    driver?.remove(transfer)
  }

  /// An ended transfer brought the answer to another request: its connection is not used again.
  func distrust(_ transfer: HTTPTransfer) { driver?.distrust(transfer.keptSocket) }

  func close() {
    for (transfer, _) in running.values { driver?.remove(transfer) }
    (running, newsworthy) = ([:], [])
    driver?.close()
    driver = nil
  }

  private func tellNews() {
    let transfers = newsworthy
    newsworthy = []
    // The listener of one request may end another request.
    for transfer in transfers { running[ObjectIdentifier(transfer)]?.listener.onNews(transfer) }
  }

  private func ended(_ transfer: HTTPTransfer, _ code: CURLcode) {
    // Its messages come before its end.
    tellNews()
    running.removeValue(forKey: ObjectIdentifier(transfer))?.listener.onEnd(transfer, code)
  }
}

@available(*, unavailable)
extension HTTPCalls: Sendable {}
#endif
