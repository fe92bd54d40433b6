#if HTTPUpstreams
import CLibCurl

/// The options that are set on libcurl's handle.
extension HTTPTransfer {
  func setOptions(
    _ request: HTTPRequest, _ endpoint: HTTPEndpoint, _ bounds: TransportBounds, remainingMilliseconds: UInt64
  ) {
    setPeer(endpoint, bounds)
    setHabits()
    setCallbacks()
    headers = HTTPHeaderList(for: request, to: endpoint, remainingMilliseconds: remainingMilliseconds)
    unsafe clibcurl_set_pointer(easy, CURLOPT_HTTPHEADER, headers?.first)
    switch request.method {
    case .post:
      set(CURLOPT_POST, 1)
      unsafe clibcurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, request.message.count)
    case .get: set(CURLOPT_HTTPGET, 1)
    case .delete: set(CURLOPT_CUSTOMREQUEST, "DELETE")
    }
    if request.endsByItself { set(CURLOPT_TIMEOUT_MS, Self.long(remainingMilliseconds)) }
  }

  private func setPeer(_ endpoint: HTTPEndpoint, _ bounds: TransportBounds) {
    set(CURLOPT_URL, endpoint.url)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // HTTP/2 where TLS has agreed on it; otherwise HTTP/1.1.
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    // No proxy: the environment may name one.
    set(CURLOPT_PROXY, "")
    if let caFile = endpoint.caFile {
      set(CURLOPT_CAINFO, caFile)
      // Else those of the system's directory would be trusted, too.
      unsafe clibcurl_set_pointer(easy, CURLOPT_CAPATH, nil)
    }
    if let identity = endpoint.identity {
      set(CURLOPT_SSLCERT, identity.certificate)
      set(CURLOPT_SSLKEY, identity.key)
    }
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.long(bounds.connectMilliseconds))
  }

  private func setHabits() {
    // No signals, and no wait for the lookup of a name once its transfer has ended.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    unsafe clibcurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
  }

  private func set(_ option: CURLoption, _ value: Int) { unsafe clibcurl_set_long(easy, option, value) }
  private func set(_ option: CURLoption, _ value: String) { unsafe clibcurl_set_text(easy, option, value) }

  private static func long(_ value: UInt64) -> Int { Int(min(value, UInt64(Int32.max))) }
}
#endif
