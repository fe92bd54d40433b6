#if HTTPUpstreams
import CLibCurl
import Glibc
import LibUV

/// Runs libcurl's transfers on the loop: its sockets become polls, and the one time it waits for a timer.
@safe final class HTTPDriver {
  /// libcurl's many transfers at once; valid until `close()`.
  private let multi: UnsafeMutableRawPointer
  private let loop: EventLoop
  private let onEnd: (HTTPTransfer, CURLcode) -> Void
  private let onProgress: () -> Void
  private var timer: LoopTimer?
  private var polls: [Int32: SocketPoll] = [:]
  /// The sockets of connections that have carried HTTP/1, by their ends.
  private var kept: [HTTPTransfer.Ends: Int32] = [:]
  private var isOpen = true
  /// Whether connections end by a reset when they are closed: the kernel then drops what it has not sent.
  var resetsConnections = false

  /// - Parameters:
  ///   - onEnd: called for each transfer that has ended and is not held any more; it may call anything here.
  ///   - onProgress: called when transfers may have got their connections; it may call anything, too.
  init?(
    idleConnections: Int, on loop: EventLoop, onEnd: @escaping (HTTPTransfer, CURLcode) -> Void,
    onProgress: @escaping () -> Void
  ) {
    guard let multi = unsafe curl_multi_init() else { return nil }
    unsafe self.multi = multi
    self.loop = loop
    self.onEnd = onEnd
    self.onProgress = onProgress
    timer = LoopTimer(on: loop) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
    listen(idleConnections)
  }

  /// - Parameter transfer: to be kept until it has ended or is removed.
  /// - Returns: whether it runs: `onEnd` will then be called for it.
  func add(_ transfer: HTTPTransfer) -> Bool {
    unsafe clibcurl_set_pointer(transfer.easy, CURLOPT_CLOSESOCKETDATA, context)
    unsafe clibcurl_set_closing(transfer.easy) { driver, socket in
      let driver = unsafe HTTPDriver.at(driver)
      driver.forget(socket)
      if let place = driver.kept.firstIndex(where: { $0.value == socket }) { driver.kept.remove(at: place) }
      if driver.resetsConnections { ByteStream.resetWhenClosed(socket) }
      return Glibc.close(socket)
    }
    transfer.driver = self
    return unsafe curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
  }

  /// Ends the transfer, and its connection, unless other transfers share that.
  func remove(_ transfer: HTTPTransfer) { unsafe curl_multi_remove_handle(multi, transfer.easy) }

  /// Closes all connections. To be called when every transfer has ended or was removed.
  func close() {
    guard isOpen else { return }
    isOpen = false
    // libcurl closes its sockets here, and so still calls back.
    unsafe curl_multi_cleanup(multi)
    for poll in polls.values { poll.close() }
    polls = [:]
    timer?.close()
    timer = nil
  }

  private func act(_ socket: Int32, _ readiness: Int32) {
    var running: Int32 = 0
    unsafe curl_multi_socket_action(multi, socket, readiness, &running)
    // No call of libcurl's is under way now, so a listener that hears of an end may begin something new.
    while let (transfer, code) = nextEnded() { onEnd(transfer, code) }
    if isOpen { onProgress() }
  }

  private func nextEnded() -> (HTTPTransfer, CURLcode)? {
    var left: Int32 = 0
    while isOpen, let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      // Valid only until the transfer is removed.
      let code = unsafe message.pointee.data.result
      let transfer = unsafe HTTPTransfer.of(message.pointee.easy_handle)
      if code == CURLE_OK { note(transfer) }
      remove(transfer)
      if transfer.metStray {
        transfer.beginAgain()
        if add(transfer) { continue }
      }
      return (transfer, code)
    }
    return nil
  }

  private func note(_ transfer: HTTPTransfer) {
    guard let (ends, socket) = transfer.keptConnection else { return }
    transfer.keptSocket = socket
    kept[ends] = socket
  }

  /// Whether bytes have come over a kept connection without a request, or its server has ended it: no answer may be
  /// read from it any more (RFC 9112, section 9.2). libcurl does not check this.
  func hasStray(between ends: HTTPTransfer.Ends) -> Bool {
    guard let socket = kept[ends] else { return false }
    var byte: UInt8 = 0
    return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0
  }

  /// A kept connection brought bytes that belong to no request: it is not used again.
  func distrust(_ socket: Int32?) {
    guard let socket, kept.values.contains(socket) else { return }
    // The socket is libcurl's, which closes it when it would use it again.
    shutdown(socket, Int32(SHUT_RDWR))
  }
}

/// The callbacks that libcurl makes while it runs.
extension HTTPDriver {
  /// Handed to libcurl, which calls back within this object's own calls only.
  private var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPDriver {
    unsafe Unmanaged<HTTPDriver>.fromOpaque(context!).takeUnretainedValue()
  }

  private func listen(_ idleConnections: Int) {
    unsafe clibcurl_multi_set_sockets(
      multi,
      { _, socket, events, driver, _ in
        unsafe HTTPDriver.at(driver).watch(socket, events)
        return 0
      }, context)
    unsafe clibcurl_multi_set_timer(
      multi,
      { _, milliseconds, driver in
        unsafe HTTPDriver.at(driver).wait(milliseconds)
        return 0
      }, context)
    unsafe clibcurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, idleConnections)
  }

  private func wait(_ milliseconds: Int) {
    if milliseconds < 0 {
      timer?.stop()
    } else {
      timer?.start(afterMilliseconds: UInt64(milliseconds))
    }
  }

  private func watch(_ socket: Int32, _ events: Int32) {
    if events == CURL_POLL_REMOVE { return forget(socket) }
    var readiness: SocketPoll.Readiness = []
    if events & CURL_POLL_IN != 0 { readiness.insert(.readable) }
    if events & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
    if polls[socket] == nil { polls[socket] = makePoll(socket) }
    polls[socket]?.watch(readiness)
  }

  /// Nil when the kernel has no memory for it: then the transfer ends when nobody wants it any more.
  private func makePoll(_ socket: Int32) -> SocketPoll? {
    try? SocketPoll(socket, on: loop, takesTurns: true) { [unowned self] in act(socket, Self.events(of: $0)) }
  }

  /// To be called before libcurl closes the socket: the next socket may get the same number at once.
  private func forget(_ socket: Int32) { polls.removeValue(forKey: socket)?.close() }

  private static func events(of readiness: SocketPoll.Readiness) -> Int32 {
    // By reading, libcurl learns what is wrong, and gets the bytes that came before.
    if readiness.contains(.failed) { return CURL_CSELECT_IN | CURL_CSELECT_OUT | CURL_CSELECT_ERR }
    let reading = readiness.contains(.readable) ? CURL_CSELECT_IN : 0
    return reading | (readiness.contains(.writable) ? CURL_CSELECT_OUT : 0)
  }
}

@available(*, unavailable)
extension HTTPDriver: Sendable {}
#endif
