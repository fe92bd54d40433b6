#if HTTPUpstreams
import CLibCurl
import Glibc
import LibUV

/// The callbacks that libcurl makes while the transfer runs.
extension HTTPTransfer {
  /// The transfer of a libcurl handle.
  static func of(_ easy: UnsafeMutableRawPointer) -> HTTPTransfer { unsafe at(clibcurl_context(easy)) }

  /// Valid while libcurl works on the transfer: its owner keeps it until it has ended or is removed.
  private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer {
    unsafe Unmanaged<HTTPTransfer>.fromOpaque(context!).takeUnretainedValue()
  }

  func setCallbacks() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_PRIVATE, CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA,
      CURLOPT_RESOLVER_START_DATA, CURLOPT_OPENSOCKETDATA,
    ] { unsafe clibcurl_set_pointer(easy, option, context) }
    setMessageCallbacks()
    setConnectionCallbacks()
  }

  private func setMessageCallbacks() {
    // No function to seek is set, so libcurl cannot send the message twice.
    unsafe clibcurl_set_transfer(easy, CURLOPT_READFUNCTION) { bytes, size, count, transfer in
      let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
      return unsafe HTTPTransfer.at(transfer).take(room) ?? Int(CURL_READFUNC_ABORT)
    }
    unsafe clibcurl_set_transfer(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
      let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
      // Any other number than the one given ends the transfer.
      return unsafe HTTPTransfer.at(transfer).receive(received) ? received.count : -1
    }
    unsafe clibcurl_set_transfer(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
      let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
      return unsafe HTTPTransfer.at(transfer).receiveHeader(line) ? line.count : -1
    }
  }

  private func setConnectionCallbacks() {
    unsafe clibcurl_set_lookup(easy) { _, _, transfer in
      unsafe HTTPTransfer.at(transfer).looksUp()
      return 0
    }
    unsafe clibcurl_set_opening(easy) { context, _, address in
      let transfer = unsafe HTTPTransfer.at(context)
      guard transfer.mayConnect(), let address = unsafe address else { return CURL_SOCKET_BAD }
      // A child process that had the socket, too, would keep the connection open when it is closed here.
      let kind = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
      let opened = unsafe socket(address.pointee.family, kind, address.pointee.protocol)
      // Not by libcurl's own options, which do not say how many probes; without it the connection serves as well.
      if opened != CURL_SOCKET_BAD { try? transfer.keepAlive?.apply(to: opened) }
      return opened
    }
    unsafe clibcurl_set_prerequest(easy) { transfer, server, address, serverPort, port in
      guard let address = unsafe address, let server = unsafe server else { return CURL_PREREQFUNC_ABORT }
      let ends = unsafe HTTPTransfer.ends(address, Int(port), server, Int(serverPort))
      return unsafe HTTPTransfer.at(transfer).mayBegin(between: ends)
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
  }
}
#endif
