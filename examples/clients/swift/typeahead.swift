// A typeahead on lastword: the newest query has the last word. Foundation alone.
//
//     swiftc -parse-as-library typeahead.swift && ./typeahead HOST:PORT KEY
//
// With secure.swift, built as that says, it speaks TLS, too:
//
//     LASTWORD_TOKEN=… LASTWORD_CA=ca.pem ./typeahead tls:HOST:PORT KEY

import Foundation
import Glibc

enum Code {
  static let superseded = -32080
  static let shuttingDown = -32085
  static let unauthenticated = -32087
  static let cancelled = -32800
}

struct Request: Encodable {
  struct Params: Encodable {
    var ms: Int?
    var q: String?
    var id: Int?
    var token: String?
  }

  struct Task: Encodable {
    let key: String
    var policy = "cancel"
  }

  var jsonrpc = "2.0"
  var id: Int?
  let method: String
  let params: Params
  var task: Task?
}

/// A reply, or another message, which has no id that was ever sent.
struct Reply: Decodable {
  struct Found: Decodable {
    let q: String
  }

  /// What it lacks is 0, or empty.
  struct Failure: Error, Decodable {
    enum Names: CodingKey {
      case code, message
    }

    let code: Int
    let message: String

    init(from decoder: any Decoder) {
      let members = try? decoder.container(keyedBy: Names.self)
      code = (try? members?.decode(Int.self, forKey: .code)) ?? 0
      message = (try? members?.decode(String.self, forKey: .message)) ?? ""
    }
  }

  enum Names: CodingKey {
    case id, result, error
  }

  let id: Int?
  let outcome: Result<Found, Failure>

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Names.self)
    id = try? members.decode(Int.self, forKey: .id)
    if let failure = try members.decodeIfPresent(Failure.self, forKey: .error) {
      outcome = .failure(failure)
    } else {
      // Another result than expected shows as an empty one.
      outcome = .success((try? members.decode(Found.self, forKey: .result)) ?? Found(q: ""))
    }
  }
}

/// What the threads that listen tell the one that has the box.
enum Event: Sendable {
  case online(any Carrier)
  case reply(Reply)
  case offline
  case command(String)
  case end
}

let saying = NSLock()

func say(_ line: String) {
  saying.withLock { write(line) }
}

func write(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What carries bytes to a gateway and back; one thread reads while another writes.
protocol Carrier: AnyObject, Sendable {
  /// Waits for some bytes, for so long at most; a negative number: for ever. None at the end.
  func read(withinMilliseconds: Int32) -> Data
  /// Waits until all of them are on their way; whoever reads hears that this will never be.
  func write(_ bytes: Data)
  /// Ends the connection, and the waiting; what it takes is given back when nobody has it any more.
  func end()
}

/// A connection without TLS.
final class PlainSocket: Carrier {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func read(withinMilliseconds patience: Int32) -> Data {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, patience) > 0 else { return Data() }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return Data(bytes.prefix(max(0, count)))
  }

  func write(_ bytes: Data) {
    let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    // Half a line is worse than none.
    if count != bytes.count { end() }
  }

  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

#if canImport(Secure)
/// If LASTWORD_CA names no authority, those count whom the system trusts.
func secured(_ socket: Int32, to host: String) -> (any Carrier)? {
  do throws(SecureSocket.Mistrust) {
    return try SecureSocket(socket, to: host, ca: ProcessInfo.processInfo.environment["LASTWORD_CA"])
  } catch {
    if error.isOfCertificate { refused("\(error)") }
    return nil
  }
}
#else
func secured(_ socket: Int32, to host: String) -> (any Carrier)? {
  refused("certificate: this was built without TLS")
}
#endif

/// Whoever answers is not to be trusted, or does not know who this is: trying again is of no use. It is the last that is
/// said.
func refused(_ why: String) -> Never {
  saying.lock()
  write("refused \(why)")
  exit(77)
}

/// Connects, listens, and does so again when the connection is lost.
struct Listener: Sendable {
  static let firstPauseSeconds = 0.05
  static let lastPauseSeconds = 2.0
  static let lineLimitBytes = 4 << 20
  /// For one address of the gateway, and for each part of what is sent.
  static let patience = timeval(tv_sec: 5, tv_usec: 0)
  static let patienceMilliseconds: Int32 = 5_000

  let isSecure: Bool
  let host: String
  let port: String
  let events: AsyncStream<Event>.Continuation

  func stayConnected() -> Never {
    var pauseSeconds = Self.firstPauseSeconds
    while true {
      if let carrier = connected().flatMap(carrier), let lines = greeted(carrier) {
        events.yield(.online(carrier))
        for line in lines {
          // Behind what is no message nothing is to be trusted.
          guard let reply = try? JSONDecoder().decode(Reply.self, from: line) else { break }
          pauseSeconds = Self.firstPauseSeconds
          events.yield(.reply(reply))
        }
        events.yield(.offline)
      }
      Thread.sleep(forTimeInterval: pauseSeconds * .random(in: 0.5...1))
      pauseSeconds = min(2 * pauseSeconds, Self.lastPauseSeconds)
    }
  }

  private func carrier(_ socket: Int32) -> (any Carrier)? {
    isSecure ? secured(socket, to: host) : PlainSocket(socket)
  }

  /// The lines that come once the gateway knows who this is; nothing else is said before.
  private func greeted(_ carrier: any Carrier) -> Lines? {
    var lines = Lines(carrier: carrier, limitBytes: Self.lineLimitBytes)
    guard let token = ProcessInfo.processInfo.environment["LASTWORD_TOKEN"], !token.isEmpty else {
      return lines
    }
    let request = Request(id: 0, method: "lastword.authenticate", params: .init(token: token))
    guard let line = try? JSONEncoder().encode(request) else { return nil }
    carrier.write(line + [UInt8(ascii: "\n")])
    lines.patienceMilliseconds = Self.patienceMilliseconds
    guard let answer = lines.next(), let reply = try? JSONDecoder().decode(Reply.self, from: answer) else {
      return nil
    }
    if case .failure(let failure) = reply.outcome {
      if failure.code == Code.unauthenticated { refused("\(failure.code) \(failure.message)") }
      return nil
    }
    lines.patienceMilliseconds = -1
    return lines
  }

  /// To the first of the host's addresses where somebody answers.
  private func connected() -> Int32? {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &wanted, &found) == 0 else { return nil }
    defer { freeaddrinfo(found) }
    var next = found?.pointee
    while let address = next {
      if let socket = connected(to: address) { return socket }
      next = address.ai_next?.pointee
    }
    return nil
  }

  private func connected(to address: addrinfo) -> Int32? {
    let socket = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard socket >= 0 else { return nil }
    set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, to: Int32(1))
    // It holds for connecting, too.
    set(socket, SOL_SOCKET, SO_SNDTIMEO, to: Self.patience)
    if connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return socket }
    close(socket)
    return nil
  }

  private func set<Value>(_ socket: Int32, _ level: Int32, _ option: Int32, to value: Value) {
    _ = withUnsafeBytes(of: value) { setsockopt(socket, level, option, $0.baseAddress, socklen_t($0.count)) }
  }
}

/// The whole lines that come over a connection, until it ends.
struct Lines: Sequence, IteratorProtocol {
  let carrier: any Carrier
  let limitBytes: Int
  /// For more of a line; negative: for ever.
  var patienceMilliseconds: Int32 = -1
  private var bytes = Data()
  private var searched = 0

  init(carrier: any Carrier, limitBytes: Int) {
    self.carrier = carrier
    self.limitBytes = limitBytes
  }

  mutating func next() -> Data? {
    while true {
      if let end = bytes[(bytes.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { (bytes, searched) = (Data(bytes[(end + 1)...]), 0) }
        return bytes[..<end]
      }
      searched = bytes.count
      let piece = carrier.read(withinMilliseconds: patienceMilliseconds)
      if piece.isEmpty || bytes.count > limitBytes { return nil }
      bytes += piece
    }
  }
}

/// A connection, if there is one, and what to do with the answer of each request that is open on it.
struct Gateway {
  typealias Answered = (Result<Reply.Found, Reply.Failure>) -> Void

  private var carrier: (any Carrier)?
  private var lastID = 0
  private var open: [Int: Answered] = [:]

  var isOnline: Bool { carrier != nil }

  mutating func online(_ carrier: any Carrier) { self.carrier = carrier }

  /// Whatever is open was not answered, and will not be.
  mutating func offline() {
    carrier?.end()
    carrier = nil
    open = [:]
  }

  mutating func call(
    _ method: String, _ params: Request.Params, _ task: Request.Task, _ answered: @escaping Answered
  ) -> Int {
    lastID += 1
    open[lastID] = answered
    send(Request(id: lastID, method: method, params: params, task: task))
    return lastID
  }

  mutating func cancel(_ id: Int) {
    if open.removeValue(forKey: id) == nil { return }
    send(Request(method: "$/cancelRequest", params: .init(id: id)))
  }

  mutating func take(_ id: Int) -> Answered? { open.removeValue(forKey: id) }

  private func send(_ request: Request) {
    guard let carrier, let line = try? JSONEncoder().encode(request) else { return }
    carrier.write(line + [UInt8(ascii: "\n")])
  }
}

/// The search box: what it shows is the answer to what stands in it.
final class SearchBox {
  private let task: Request.Task
  private var gateway = Gateway()
  private var query: String?
  private var newest: Int?

  init(key: String) { task = .init(key: key) }

  var isOpen: Bool { query != nil }

  /// The older request is left alone: the gateway supersedes it.
  func type(_ text: String) {
    if !isOpen { say("spinner on") }
    query = text
    ask()
  }

  func clear() {
    guard isOpen else { return }
    if let newest { gateway.cancel(newest) }
    settle()
  }

  func online(_ carrier: any Carrier) {
    gateway.online(carrier)
    say("online")
    ask()
  }

  func offline() {
    gateway.offline()
    say("offline")
  }

  func hear(_ reply: Reply) {
    if case .failure(let failure) = reply.outcome, failure.code == Code.shuttingDown {
      return gateway.offline()
    }
    guard let id = reply.id, let answered = gateway.take(id) else { return }
    answered(reply.outcome)
  }

  /// Sends what is open, for the first time or again.
  private func ask() {
    guard let query, gateway.isOnline else { return }
    var mine: Int?
    let params = Request.Params(ms: 1000 - 50 * query.count, q: query)
    mine = gateway.call("sleep", params, task) { [unowned self] outcome in
      if mine == newest { show(outcome) }
    }
    newest = mine
  }

  private func show(_ outcome: Result<Reply.Found, Reply.Failure>) {
    settle()
    switch outcome {
    case .success(let found): say("shown \(found.q)")
    case .failure(let failure) where [Code.superseded, Code.cancelled].contains(failure.code): break
    case .failure(let failure): say("failed \(failure.code) \(failure.message)")
    }
  }

  private func settle() {
    query = nil
    newest = nil
    say("spinner off")
  }
}

@main
struct Typeahead {
  static func main() async {
    guard CommandLine.arguments.count == 3, let colon = CommandLine.arguments[1].lastIndex(of: ":") else {
      FileHandle.standardError.write(Data("usage: typeahead HOST:PORT KEY\n".utf8))
      exit(64)
    }
    let isSecure = CommandLine.arguments[1].hasPrefix("tls:")
    let address = CommandLine.arguments[1].dropFirst(isSecure ? "tls:".count : 0)
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let port = address[address.index(after: colon)...]
    let host = String(address[..<colon])
    let listener = Listener(isSecure: isSecure, host: host, port: String(port), events: continuation)
    let goOn = DispatchSemaphore(value: 0)
    Thread.detachNewThread { listener.stayConnected() }
    Thread.detachNewThread { readCommands(continuation, goOn) }
    await obey(events, SearchBox(key: CommandLine.arguments[2]), goOn)
  }

  /// Behind `wait` only when it is told to go on.
  static func readCommands(_ events: AsyncStream<Event>.Continuation, _ goOn: DispatchSemaphore) {
    while let line = readLine() {
      events.yield(.command(line))
      if line == "wait" { goOn.wait() }
    }
    events.yield(.end)
  }

  static func obey(_ events: AsyncStream<Event>, _ box: SearchBox, _ goOn: DispatchSemaphore) async {
    var isWaiting = false
    for await event in events {
      switch event {
      case .online(let carrier): box.online(carrier)
      case .offline: box.offline()
      case .reply(let reply): box.hear(reply)
      case .command("quit"), .end: return box.clear()
      case .command("clear"): box.clear()
      case .command("wait"): isWaiting = true
      case .command(let line) where line.hasPrefix("type "): box.type(String(line.dropFirst("type ".count)))
      case .command: break
      }
      if isWaiting && !box.isOpen {
        say("idle")
        isWaiting = false
        goOn.signal()
      }
    }
  }
}
