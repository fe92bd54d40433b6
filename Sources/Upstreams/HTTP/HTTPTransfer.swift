#if HTTPUpstreams
import CLibCurl
import GatewayCore
import HTTP1
import JSONRPC
import LibUV

/// One request at a time: how much of it has been sent, and the answer that has come.
///
/// Its owner runs it and uses it again for other requests: libcurl's handle is expensive to make.
@safe final class HTTPTransfer {
  /// How long the head of an answer may be.
  static let headerLimitBytes = 64 << 10

  /// The outcome of a transfer.
  enum Outcome {
    /// Behind the first `count` bytes lies the scanner's slack.
    case answer([UInt8], count: Int)
    /// The server accepted a notification.
    case accepted
    case failure(ExchangeFailure, reason: String)
  }

  /// The addresses and ports of a connection, on this side and the server's.
  typealias Ends = String

  /// libcurl's handle; valid as long as this object.
  let easy: UnsafeMutableRawPointer
  /// Where libcurl writes what went wrong; valid as long as the handle.
  let errorText: UnsafeMutablePointer<CChar>
  var headers: HTTPHeaderList?
  private(set) var request: HTTPRequest?
  /// Gets each part of the answer as it comes; the answer is then not kept.
  var onPart: (([UInt8]) -> Void)?
  /// Called when `messages` is not empty any more, or when the whole message has been sent.
  var onNews: () -> Void = {}
  /// The name of the header field to look for in the response, in small letters, and its value.
  var heardField = ""
  private(set) var heardValue: String?
  /// When the answer came in an event stream that has not ended, or when the server accepted a notification.
  private(set) var answeredMilliseconds: UInt64?
  /// The messages of an event stream, each with the scanner's slack behind it.
  private var messages: [[UInt8]] = []
  /// Nil: the answer is no event stream.
  private var events: ServerSentEventReader?
  private var takenBytes = 0
  private var headerBytes = 0
  private var answer: [UInt8] = []
  private var limitBytes = 0
  /// Of the connections that are opened for it.
  private(set) var keepAlive: KeepAlive?
  /// Its limits may have been raised since the request began.
  private var bounds: TransportBounds?
  private var isTooLarge = false
  /// Whether the server's name is being looked up, which cannot be stopped.
  private(set) var isLookingUp = false
  /// Whether it has no connection yet.
  private(set) var isOpening = true
  /// Whether the server has accepted a notification. The rest of its response is ignored.
  private(set) var isTaken = false
  /// Whether nothing was sent over its connection, because bytes had come over that without a request.
  private(set) var metStray = false
  /// The driver that runs it, or did.
  weak var driver: HTTPDriver?
  /// The socket of the HTTP/1 connection that it used; valid until that carries another request.
  var keptSocket: Int32?

  init?() {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe self.easy = easy
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe errorText.deallocate()
  }

  func prepare(_ request: HTTPRequest, for endpoint: HTTPEndpoint, _ bounds: TransportBounds, now: UInt64) {
    self.request = request
    limitBytes = bounds.messageLimitBytes
    keepAlive = KeepAlive(milliseconds: endpoint.keepAliveMilliseconds)
    self.bounds = bounds
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setOptions(request, endpoint, bounds, remainingMilliseconds: request.remainingMilliseconds(now: now))
  }

  /// The status of the response; 0: there is none yet.
  var status: Int { unsafe clibcurl_status(easy) }
  /// Whether libcurl has taken the whole message.
  var hasSentAll: Bool { request.map { takenBytes == $0.message.count } ?? true }
  /// How long to wait before the next request for the event stream, in milliseconds, as the server said; nil: it did
  /// not.
  var retryMilliseconds: UInt64? { events?.retryMilliseconds }
  /// The id of the event stream's last event; nil: it has none.
  var lastEventID: String? { events?.lastEventID }

  /// Stops reading, or goes on: bytes that came meanwhile are handled from within this call.
  func setReading(_ isReading: Bool) {
    unsafe curl_easy_pause(easy, isReading ? CURLPAUSE_CONT : CURLPAUSE_RECV)
  }

  /// Forgets the request, so that another can follow.
  func reset() {
    unsafe curl_easy_reset(easy)
    headers = nil
    request = nil
    onPart = nil
    (heardField, heardValue) = ("", nil)
    answeredMilliseconds = nil
    messages = []
    events = nil
    takenBytes = 0
    headerBytes = 0
    answer = []
    isTooLarge = false
    isLookingUp = false
    isOpening = true
    isTaken = false
    metStray = false
    keptSocket = nil
  }

  /// Prepares it for another connection.
  func beginAgain() {
    metStray = false
    isOpening = true
    unsafe errorText.pointee = 0
  }

  /// Its connection, from the end of the response until the transfer is removed; nil: there is none, or other transfers
  /// share it.
  var keptConnection: (ends: Ends, socket: Int32)? {
    guard unsafe clibcurl_spoke_http1(easy) != 0, let address = unsafe clibcurl_local_address(easy),
      let server = unsafe clibcurl_server_address(easy)
    else { return nil }
    let socket = unsafe clibcurl_socket(easy)
    guard socket != CURL_SOCKET_BAD else { return nil }
    let ends = unsafe Self.ends(address, clibcurl_local_port(easy), server, clibcurl_server_port(easy))
    return (ends, socket)
  }

  static func ends(
    _ address: UnsafePointer<CChar>, _ port: Int, _ server: UnsafePointer<CChar>, _ serverPort: Int
  ) -> Ends {
    unsafe "\(String(cString: address)) \(port) \(String(cString: server)) \(serverPort)"
  }

  /// Makes it end before anything is sent.
  func abandon() { request = nil }

  func takeMessages() -> [[UInt8]] {
    defer { messages = [] }
    return messages
  }

  /// Notes that the answer has come: later messages are ignored.
  func wasAnswered(now: UInt64) { answeredMilliseconds = now }

  /// - Parameter code: the result that libcurl reported.
  func takeOutcome(_ code: CURLcode) -> Outcome {
    let failure = takenBytes > 0 ? ExchangeFailure.unanswered : .unreached
    let status = self.status
    // The content of the response to a notification is ignored.
    if request?.isNotification == true, Self.accepting.contains(status) { return .accepted }
    guard code == CURLE_OK else {
      return .failure(isTooLarge ? .tooLong : failure, reason: reason(of: code))
    }
    if request?.isNotification == true { return .failure(failure, reason: "HTTP \(status)") }
    if events != nil { return .failure(failure, reason: "the event stream ended without an answer") }
    guard !answer.isEmpty else { return .failure(failure, reason: "HTTP \(status)") }
    var bytes: [UInt8] = []
    swap(&bytes, &answer)
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
    return .answer(bytes, count: count)
  }

  private static let accepting = 200...299
  private static let switchingProtocols = 101

  private func reason(of code: CURLcode) -> String {
    if headerBytes > Self.headerLimitBytes {
      return "the answer's headers are larger than \(Self.headerLimitBytes) bytes"
    }
    if status == Self.switchingProtocols { return "HTTP 101: the server goes on in another protocol" }
    if isTooLarge {
      return "the answer is larger than \(limitBytes) bytes"
    }
    let text = unsafe String(cString: errorText)
    let said = text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
    // libcurl's text says where it could not connect, but not why.
    let number = code == CURLE_COULDNT_CONNECT ? unsafe clibcurl_connect_error(easy) : 0
    return number > 0 ? "\(said): \(UVError(code: -Int32(clamping: number)).name)" : said
  }
}

/// The steps of a transfer, called by libcurl's callbacks.
extension HTTPTransfer {
  func looksUp() { isLookingUp = true }

  /// Called when the lookup has found an address. Returns whether to connect to it.
  func mayConnect() -> Bool {
    isLookingUp = false
    return request != nil
  }

  /// Whether the request may be sent over the connection between these ends. It may be sent a second time only if
  /// nothing of it was sent before, whatever libcurl would allow.
  func mayBegin(between ends: Ends) -> Bool {
    isOpening = false
    guard takenBytes == 0 else { return false }
    metStray = driver?.hasStray(between: ends) ?? false
    return !metStray
  }

  /// Gives libcurl the next part of the message; nil: there is none left.
  func take(_ room: UnsafeMutableRawBufferPointer) -> Int? {
    guard let request, takenBytes < request.message.count else { return nil }
    let count = min(room.count, request.message.count - takenBytes)
    unsafe room.copyBytes(from: request.message[takenBytes..<takenBytes + count])
    takenBytes += count
    if hasSentAll { onNews() }
    return count
  }

  /// Returns whether the transfer goes on.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if isTaken { return true }
    if let onPart {
      onPart(unsafe Array(bytes))
      return true
    }
    if request?.takesEvents == true, answer.isEmpty, events != nil || isEventStream {
      return unsafe receiveEvents(bytes)
    }
    guard bytes.count <= limitBytes - answer.count else {
      isTooLarge = true
      return false
    }
    unsafe answer.append(contentsOf: bytes)
    return true
  }

  private var isEventStream: Bool {
    guard let type = unsafe clibcurl_content_type(easy) else { return false }
    return unsafe String(cString: type).lowercased().hasPrefix("text/event-stream")
  }

  private func receiveEvents(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Taken out of the property, so that the bytes of a partial event are not copied.
    let cutsLongEvents = request?.cutsLongEvents ?? false
    var reader =
      events.take() ?? ServerSentEventReader(eventLimitBytes: limitBytes, cutsLongEvents: cutsLongEvents)
    defer { events = reader }
    // The bytes are valid during this call.
    let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
    var offset = 0
    while true {
      switch reader.next(in: span, count: span.count, from: &offset) {
      case .more: return true
      case .event(let event):
        guard answeredMilliseconds == nil, !event.data.isEmpty else { continue }
        keep(event.data)
      case .tooLong:
        guard cutsLongEvents else {
          isTooLarge = true
          return false
        }
        keep(tooLong(reader.beginning))
      }
    }
  }

  private func keep(_ message: [UInt8]) {
    messages.append(message + repeatElement(0, count: JSONText.slackByteCount))
    if messages.count == 1 { onNews() }
  }

  /// What begins so, and is longer than a message may be.
  private func tooLong(_ beginning: [UInt8]) -> [UInt8] {
    let count = max(limitBytes, bounds?.messageLimitBytes ?? 0) + 1
    return beginning + repeatElement(0x20, count: max(0, count - beginning.count))
  }

  /// Returns whether the transfer goes on.
  func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    headerBytes += line.count
    if !heardField.isEmpty { hear(unsafe String(decoding: line, as: UTF8.self)) }
    // An empty line ends a head.
    guard line.count <= 2 else { return headerBytes <= Self.headerLimitBytes }
    // After this status the bytes are not HTTP any more; we never ask for it.
    guard status != Self.switchingProtocols else { return false }
    if request?.isNotification == true { noteHead() }
    return headerBytes <= Self.headerLimitBytes
  }
}

extension HTTPTransfer {
  private func noteHead() {
    guard !isTaken, Self.accepting.contains(status) else { return }
    isTaken = true
    onNews()
  }

  private func hear(_ line: String) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == heardField else { return }
    let value = parts[1].utf8.drop { Self.isBlank($0) }.reversed().drop { Self.isBlank($0) }.reversed()
    heardValue = String(decoding: Array(value), as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0d, 0x0a].contains(byte) }
}

@available(*, unavailable)
extension HTTPTransfer: Sendable {}
#endif
