#if HTTPUpstreams
import CLibCurl
import LibUV

/// Runs requests that share connections, and tells each one's listener what comes of it. Nobody is told anything from
/// within a call of libcurl's.
final class HTTPCalls {
  /// Hears of a request.
  struct Listener {
    /// Messages have come, or all of the content has left.
    var onNews: (HTTPTransfer) -> Void = { _ in }
    /// It has ended; called once, unless it was ended from here.
    let onEnd: (HTTPTransfer, CURLcode) -> Void
  }

  private let loop: EventLoop
  private var driver: HTTPDriver?
  private var running: [ObjectIdentifier: (transfer: HTTPTransfer, listener: Listener)] = [:]
  /// Transfers with news that nobody has been told.
  private var newsworthy: [HTTPTransfer] = []

  /// - Parameter connections: so many are kept open for the next request.
  init(connections: Int, on loop: EventLoop) {
    self.loop = loop
    // Without the library nothing of it may be called.
    guard HTTPLibrary.fault == nil else { return }
    driver = HTTPDriver(
      idleConnections: connections, on: loop, onEnd: { [unowned self] in ended($0, $1) },
      onProgress: { [unowned self] in tellNews() })
  }

  var isEmpty: Bool { running.isEmpty }

  /// - Parameter prepare: is given what runs it before it does.
  /// - Returns: what runs it; nil: it cannot be run, and nothing is heard of it.
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

  /// Nobody wants to hear more of it: it ends, and its connection does.
  func end(_ transfer: HTTPTransfer) {
    guard running[ObjectIdentifier(transfer)] != nil else { return }
    // A lookup goes on by itself: as long as it does there shall not be another one in its place.
    if transfer.isLookingUp {
      running[ObjectIdentifier(transfer)]?.listener = Listener(onEnd: { _, _ in })
      return transfer.abandon()
    }
    running[ObjectIdentifier(transfer)] = nil
    driver?.remove(transfer)
  }

  /// What an ended one has brought was an answer to something else: its connection carries nothing more.
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
    // A listener of one may end another.
    for transfer in transfers { running[ObjectIdentifier(transfer)]?.listener.onNews(transfer) }
  }

  private func ended(_ transfer: HTTPTransfer, _ code: CURLcode) {
    // What it has brought comes before its end.
    tellNews()
    running.removeValue(forKey: ObjectIdentifier(transfer))?.listener.onEnd(transfer, code)
  }
}

@available(*, unavailable)
extension HTTPCalls: Sendable {}
#endif
