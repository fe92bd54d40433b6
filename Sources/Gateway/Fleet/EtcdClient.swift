import Fleet
import JSONRPC
import LibUV
import Logging
import Upstreams

/// Asks etcd by HTTP and JSON, and hears of its changes. Of several endpoints one is asked as long as it answers.
final class EtcdClient {
  /// A longer answer is none: a fleet's records are far less.
  private static let answerBytes = 4 * 1024 * 1024
  private static let connectMilliseconds: UInt64 = 1_000
  /// Members beat twice a second: a watch that has been silent for so long is broken, or nobody beats.
  private static let silenceMilliseconds: UInt64 = 3_000
  /// A watch tells what was written, at the latest so long behind the acknowledgement.
  private static let tellingMilliseconds: UInt64 = 1_000
  private static let pauseMilliseconds: UInt64 = 250
  private static let tickMilliseconds: UInt64 = 100

  private enum Watching {
    /// All there is has to be read, at this time of the loop.
    case pausing(until: UInt64)
    case reading(HTTPPosts.Number)
    case watching(HTTPPosts.Number, heardAt: UInt64)
  }

  /// The endpoint that was asked, and the token that went along.
  private struct Asked {
    let endpoint: Int
    let token: String?
  }

  private let options: FleetOptions
  private let names: EtcdNames
  private let loop: EventLoop
  private let log: Logger
  private let posts: HTTPPosts
  private var timer: LoopTimer?
  private var endpoint = 0
  /// The token for requests; nil: etcd has not wanted one yet.
  private var token: String?
  private var isAuthenticating = false
  private var watching = Watching.pausing(until: 0)
  /// When a write was acknowledged last, which the watch has to tell, too.
  private var wroteAt: UInt64 = 0
  /// What a watch has told and nobody has read: libcurl can be asked for nothing while it tells.
  private var unread: [UInt8] = []
  private var line: [UInt8] = []
  private var news: LoopTimer?
  private var failures = RepeatedWarning()
  private var refusals = RepeatedWarning()

  var onAnswer: ((UInt64, EngineAnswer, EngineHeader?) -> Void)?
  /// With the revision at which it was so.
  var onAll: (([(key: EngineKey, record: EngineRecord)], EngineHeader) -> Void)?
  var onChange: ((EngineChange) -> Void)?

  init(_ options: FleetOptions, on loop: EventLoop, log: Logger) {
    self.options = options
    names = EtcdNames(fleet: options.name)
    self.loop = loop
    self.log = log
    posts = HTTPPosts(
      answerBytes: Self.answerBytes, connectMilliseconds: Self.connectMilliseconds, connections: 4, on: loop)
    timer = LoopTimer(on: loop) { [unowned self] in tick() }
    timer?.start(afterMilliseconds: 0)
    news = LoopTimer(on: loop) { [unowned self] in readNews() }
  }

  func close() {
    timer?.close()
    news?.close()
    (timer, news) = (nil, nil)
    posts.close()
    (onAnswer, onAll, onChange) = (nil, nil, nil)
  }

  // MARK: Asking

  func ask(_ request: EngineRequest) {
    let asked = asked
    post(EtcdRequest(request.body, names), asked, limitMilliseconds: answerMilliseconds) {
      [unowned self] text in
      guard let text, let read = EtcdAnswer.read(text, to: request.body, names) else {
        failed(asked, text, posts.failure)
        onAnswer?(request.number, .unknown, nil)
        return
      }
      if case .applied = read.answer { wroteAt = loop.nowMilliseconds }
      onAnswer?(request.number, read.answer, read.header)
    }
  }

  private var asked: Asked { Asked(endpoint: endpoint, token: token) }

  private func target(_ path: String, _ asked: Asked) -> HTTPEndpoint {
    var target = options.engine[asked.endpoint]
    target.url += path
    if let token = asked.token { target.headers.append("Authorization: \(token)") }
    return target
  }

  @discardableResult
  private func post(
    _ request: EtcdRequest, _ asked: Asked, limitMilliseconds: UInt64? = nil,
    onPart: (([UInt8]) -> Void)? = nil, then: @escaping ([UInt8]?) -> Void
  ) -> HTTPPosts.Number? {
    posts.post(
      request.body, to: target(request.path, asked), limitMilliseconds: limitMilliseconds, onPart: onPart,
      onEnd: then)
  }

  /// A request waits no longer than this; then the next endpoint is asked.
  private var answerMilliseconds: UInt64 { UInt64(options.timings.answer) }

  /// The endpoint wants authentication; or the next one may do better, for the watch, too.
  /// - Parameter failure: why there is no answer, if that is known.
  private func failed(_ asked: Asked, _ text: [UInt8]?, _ failure: String? = nil) {
    let wantsUser = options.user != nil && text.map(EtcdAnswer.wantsUser) ?? false
    if !wantsUser || asked.token != nil {
      failures.log(
        "etcd does not answer as it should", fault(of: asked, text, failure), to: log,
        atMilliseconds: loop.nowMilliseconds)
    }
    guard wantsUser else { return leave(asked.endpoint) }
    // An earlier request may fail after a newer token has come.
    if asked.token == token { authenticate() }
  }

  private func fault(of asked: Asked, _ text: [UInt8]?, _ failure: String?) -> Logger.Metadata {
    let reason =
      text.map { String(decoding: $0.prefix(200), as: UTF8.self) } ?? HTTPPosts.fault ?? failure
      ?? "no answer"
    return ["engine": "\(options.engine[asked.endpoint].name)", "reason": "\(reason)"]
  }

  /// Several asks fail at one endpoint at about the same time.
  private func leave(_ failed: Int) {
    guard failed == endpoint, options.engine.count > 1 else { return }
    endpoint = (endpoint + 1) % options.engine.count
    stopWatching()
  }

  private func authenticate() {
    guard !isAuthenticating, let user = options.user else { return }
    let request = EtcdRequest.authentication(user: user, password: options.password ?? "")
    let asked = Asked(endpoint: endpoint, token: nil)
    isAuthenticating = true
    let number = post(request, asked, limitMilliseconds: answerMilliseconds) { [unowned self] text in
      isAuthenticating = false
      if let given = text.flatMap({ EtcdAnswer.readToken($0) }) { return token = given }
      refusals.log(
        "etcd does not let this member say who it is", fault(of: asked, text, posts.failure), to: log,
        atMilliseconds: loop.nowMilliseconds)
      leave(asked.endpoint)
    }
    if number == nil { isAuthenticating = false }
  }

  // MARK: Hearing

  private func tick() {
    timer?.start(afterMilliseconds: Self.tickMilliseconds)
    let now = loop.nowMilliseconds
    switch watching {
    case .pausing(let until): if now >= until { readAll() }
    case .reading: break
    case .watching(_, let heardAt):
      guard now - min(now, heardAt) >= Self.silenceMilliseconds else { return }
      // Where nobody has written there is nothing to be told: whether etcd is there shows when all is read again.
      if wroteAt > heardAt + Self.tellingMilliseconds { failed(asked, nil, "its watch tells nothing") }
      stopWatching()
    }
  }

  private func stopWatching() {
    switch watching {
    case .pausing: return
    case .reading(let post), .watching(let post, _): posts.cancel(post)
    }
    pause()
  }

  private func pause() { watching = .pausing(until: loop.nowMilliseconds + Self.pauseMilliseconds) }

  private func readAll() {
    let asked = asked
    let post = post(.all(names), asked, limitMilliseconds: answerMilliseconds) { [unowned self] text in
      pause()
      guard let text, let (records, header) = EtcdAnswer.readAll(text, names) else {
        return failed(asked, text, posts.failure)
      }
      onAll?(records, header)
      watch(behind: header.revision)
    }
    guard let post else {
      pause()
      return failed(asked, nil)
    }
    watching = .reading(post)
  }

  private func watch(behind revision: Int64) {
    (line, unread) = ([], [])
    let post = post(.watch(behind: revision, names), asked) { [unowned self] in
      heard($0)
    } then: { [unowned self] _ in
      pause()
    }
    guard let post else { return }
    watching = .watching(post, heardAt: loop.nowMilliseconds)
  }

  /// Some of a watch's answer, of which each line is a message.
  private func heard(_ bytes: [UInt8]) {
    guard case .watching(let post, _) = watching else { return }
    watching = .watching(post, heardAt: loop.nowMilliseconds)
    unread += bytes
    news?.start(afterMilliseconds: 0)
  }

  private func readNews() {
    guard case .watching = watching else { return }
    let bytes = unread
    unread = []
    for byte in bytes {
      if byte != UInt8(ascii: "\n") {
        line.append(byte)
        continue
      }
      let text = line
      line = []
      guard case .changes(let changes, _)? = EtcdAnswer.readWatched(text, names) else {
        return endWatch(at: text)
      }
      for change in changes { onChange?(change) }
    }
    if line.count > Self.answerBytes { endWatch(at: line) }
  }

  /// It cannot be followed behind this: all is read again.
  private func endWatch(at text: [UInt8]) {
    failed(asked, text)
    stopWatching()
  }
}

@available(*, unavailable)
extension EtcdClient: Sendable {}
