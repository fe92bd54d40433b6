import JSONRPC

/// A request as far as its lines have come, and whether they go together.
struct HTTPRequestDraft {
  /// No longer than this are methods; nor is anything else at the start of what is HTTP.
  static let methodLimitBytes = 32

  private let method: String
  private let target: HTTPTarget
  private let isVersion0: Bool
  private var hosts: [String] = []
  private var origins: [String] = []
  private var fetchSites: [String] = []
  private var lengths: [String] = []
  private var expectations: [String] = []
  private var connectionWords: Set<String> = []
  private var isEncoded = false

  // MARK: Lines

  init(firstLine line: [UInt8]) throws(HTTPFault) {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isTokenCharacter), !words[1].isEmpty
    else {
      throw .malformed("the first line must be METHOD, TARGET and VERSION")
    }
    guard words[1].count <= HTTPRequestReader.targetLimitBytes else {
      throw HTTPFault(.targetTooLong, "the target has more than \(HTTPRequestReader.targetLimitBytes) bytes")
    }
    method = HTTPText.string(words[0])
    isVersion0 = try Self.isVersion0(HTTPText.string(words[2]))
    // Methods that are not served may have other targets.
    target = try HTTPTarget(["GET", "HEAD"].contains(method) ? words[1] : [UInt8(ascii: "/")])
  }

  private static func isVersion0(_ version: String) throws(HTTPFault) -> Bool {
    let bytes = Array(version.utf8)
    guard bytes.count == 8, version.hasPrefix("HTTP/"), bytes[6] == UInt8(ascii: "."),
      HTTPText.isDigit(bytes[5]), HTTPText.isDigit(bytes[7])
    else { throw .malformed("the first line must end with HTTP/1.1") }
    guard bytes[5] == UInt8(ascii: "1") else {
      throw HTTPFault(.versionNotSupported, "HTTP/1.1 and HTTP/1.0 are spoken here")
    }
    return bytes[7] == UInt8(ascii: "0")
  }

  mutating func add(field line: [UInt8]) throws(HTTPFault) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      line[..<colon].allSatisfy(\.isTokenCharacter)
    else { throw .malformed("a header field must be NAME: VALUE") }
    let value = HTTPText.string(HTTPText.trimmed(line[(colon + 1)...]))
    switch HTTPText.string(line[..<colon]).lowercased() {
    case "host": hosts.append(value)
    case "origin": origins.append(value)
    case "sec-fetch-site": fetchSites.append(value)
    case "content-length": lengths.append(value)
    case "transfer-encoding": isEncoded = true
    case "expect": expectations.append(value.lowercased())
    case "connection":
      let words = value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
      connectionWords.formUnion(words.map(String.init))
    default: break
    }
  }

  // MARK: The whole

  func request() throws(HTTPFault) -> HTTPRequest {
    let hasBody = try checkLength()
    var request = HTTPRequest()
    request.host = try host()
    request.origin = try single(origins, "Origin")
    request.fetchSite = try single(fetchSites, "Sec-Fetch-Site")
    guard ["GET", "HEAD"].contains(method) else {
      throw HTTPFault(.methodNotAllowed, "only GET and HEAD are served")
    }
    if hasBody { throw HTTPFault(.contentTooLarge, "a request must not have a body") }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw HTTPFault(.expectationFailed, "nothing can be expected but 100-continue")
    }
    request.isHead = method == "HEAD"
    request.path = target.path
    request.query = target.query
    request.keepsConnection =
      isVersion0 ? connectionWords.contains("keep-alive") : !connectionWords.contains("close")
    return request
  }

  /// Whether a body follows.
  private func checkLength() throws(HTTPFault) -> Bool {
    if isEncoded { throw .malformed("a request must not have a body, nor Transfer-Encoding") }
    guard let length = try single(lengths, "Content-Length") else { return false }
    guard !length.isEmpty, length.utf8.allSatisfy(HTTPText.isDigit) else {
      throw .malformed("Content-Length must be a number")
    }
    return length.contains { $0 != "0" }
  }

  private func host() throws(HTTPFault) -> HTTPHost? {
    guard let text = try single(hosts, "Host") else {
      guard isVersion0 else { throw .malformed("Host is missing") }
      return target.host
    }
    guard let host = HTTPHost(text) else { throw .malformed("Host must be HOST or HOST:PORT") }
    return target.host ?? host
  }

  private func single(_ values: [String], _ name: String) throws(HTTPFault) -> String? {
    guard values.count <= 1 else { throw .malformed("\(name) stands there twice") }
    return values.first
  }
}
