#if HTTPUpstreams
import CLibCurl

/// Owns the header lines of one request, as the list that libcurl takes.
@safe final class HTTPHeaderList {
  /// libcurl's list, freed with this object; nil while it is empty.
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(for request: HTTPRequest, to endpoint: HTTPEndpoint, remainingMilliseconds: UInt64) {
    let given = Set(endpoint.headers.map(Self.name))
    // Without this, libcurl would send "Expect: 100-continue" before a large body, and wait.
    append("Expect:")
    for ours in Self.usual(request) where !given.contains(Self.name(ours)) { append(ours) }
    for header in endpoint.headers { append(header) }
    for field in request.fields { append(field) }
    if let name = endpoint.deadlineHeader { append("\(name): \(remainingMilliseconds)") }
    if !request.traceparent.isEmpty {
      append("traceparent: \(String(decoding: request.traceparent, as: UTF8.self))")
    }
  }

  private static func usual(_ request: HTTPRequest) -> [String] {
    switch request.method {
    case .post:
      let events = request.takesEvents ? ", text/event-stream" : ""
      return ["Content-Type: application/json", "Accept: application/json\(events)"]
    case .get: return ["Accept: text/event-stream"]
    case .delete: return []
    }
  }

  deinit { unsafe curl_slist_free_all(first) }

  private func append(_ line: String) {
    // A value with a line break could add header fields, or another request.
    guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return }
    // libcurl copies the line; without memory for that it leaves the list as it was.
    if let longer = unsafe curl_slist_append(first, line) { unsafe first = longer }
  }

  private static func name(_ line: String) -> String { line.prefix { $0 != ":" }.lowercased() }
}

@available(*, unavailable)
extension HTTPHeaderList: Sendable {}
#endif
