/// The first line of a request (RFC 9112 section 3).
struct HTTPRequestLine {
  /// No longer than this are methods; nor is anything else at the start of what is HTTP.
  static let methodLimitBytes = 32

  let method: String
  let isServed: Bool
  let target: HTTPTarget
  let isVersion0: Bool

  init(_ line: [UInt8], methods: Set<String>, _ limits: HTTPRequestReader.Limits) throws(HTTPFault) {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isTokenCharacter), !words[1].isEmpty
    else {
      throw .malformed("the first line must be METHOD, TARGET and VERSION")
    }
    guard words[1].count <= limits.targetBytes else {
      throw HTTPFault(.targetTooLong, "the target has more than \(limits.targetBytes) bytes")
    }
    method = HTTPText.string(words[0])
    isServed = methods.contains(method)
    isVersion0 = try Self.isVersion0(words[2])
    // Methods that are not served may have other targets.
    target = try HTTPTarget(
      isServed ? words[1] : [UInt8(ascii: "/")], isSecure: limits.isSecure, isOfServer: method == "OPTIONS")
  }

  private static func isVersion0(_ version: ArraySlice<UInt8>) throws(HTTPFault) -> Bool {
    guard let version = HTTPVersion(version) else {
      throw .malformed("the first line must end with HTTP/1.1")
    }
    guard version.major == 1 else {
      throw HTTPFault(.versionNotSupported, "HTTP/1.1 and HTTP/1.0 are spoken here")
    }
    return version.minor == 0
  }
}
