// A typeahead on lastword: the newest query has the last word. Foundation alone.
//
//     swiftc -parse-as-library typeahead.swift && ./typeahead HOST:PORT KEY

import Foundation
import Glibc

enum Code {
  static let superseded = -32080
  static let shuttingDown = -32085
  static let cancelled = -32800
}

struct Request: Encodable {
  struct Params: Encodable {
    var ms: Int?
    var q: String?
    var id: Int?
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
  case online(socket: Int32)
  case reply(Reply)
  case offline(socket: Int32)
  case command(String)
  case end
}

func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Connects, listens, and does so again when the connection is lost.
struct Listener: Sendable {
  static let firstPauseSeconds = 0.05
  static let lastPauseSeconds = 2.0
  static let lineLimitBytes = 4 << 20
  /// For one address of the gateway, and for each part of what is sent.
  static let patience = timeval(tv_sec: 5, tv_usec: 0)

  let host: String
  let port: String
  let events: AsyncStream<Event>.Continuation

  func stayConnected() -> Never {
    var pauseSeconds = Self.firstPauseSeconds
    while true {
      if let socket = connected() {
        events.yield(.online(socket: socket))
        for line in Lines(descriptor: socket, limitBytes: Self.lineLimitBytes) {
          // Behind what is no message nothing is to be trusted.
          guard let reply = try? JSONDecoder().decode(Reply.self, from: line) else { break }
          pauseSeconds = Self.firstPauseSeconds
          events.yield(.reply(reply))
        }
        // Who writes to it closes it.
        events.yield(.offline(socket: socket))
      }
      Thread.sleep(forTimeInterval: pauseSeconds * .random(in: 0.5...1))
      pauseSeconds = min(2 * pauseSeconds, Self.lastPauseSeconds)
    }
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

/// The whole lines that can be read from a descriptor, until it ends.
struct Lines: Sequence, IteratorProtocol {
  let descriptor: Int32
  let limitBytes: Int
  private var bytes = Data()
  private var searched = 0

  init(descriptor: Int32, limitBytes: Int) {
    self.descriptor = descriptor
    self.limitBytes = limitBytes
  }

  mutating func next() -> Data? {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = bytes[(bytes.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { (bytes, searched) = (Data(bytes[(end + 1)...]), 0) }
        return bytes[..<end]
      }
      searched = bytes.count
      let count = read(descriptor, &piece, piece.count)
      if count <= 0 || bytes.count > limitBytes { return nil }
      bytes += piece[..<count]
    }
  }
}

/// A connection, if there is one, and what to do with the answer of each request that is open on it.
struct Gateway {
  typealias Answered = (Result<Reply.Found, Reply.Failure>) -> Void

  private var socket: Int32?
  private var lastID = 0
  private var open: [Int: Answered] = [:]

  var isOnline: Bool { socket != nil }

  mutating func online(socket: Int32) { self.socket = socket }

  /// Whatever is open was not answered, and will not be.
  mutating func offline() {
    if let socket { shutdown(socket, Int32(SHUT_RDWR)) }
    socket = nil
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
    guard let socket, var line = try? JSONEncoder().encode(request) else { return }
    line.append(UInt8(ascii: "\n"))
    let count = line.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    // Half a line is worse than none; who reads hears that it is over.
    if count != line.count { shutdown(socket, Int32(SHUT_RDWR)) }
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

  func online(socket: Int32) {
    gateway.online(socket: socket)
    say("online")
    ask()
  }

  func offline(socket: Int32) {
    gateway.offline()
    close(socket)
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
    let address = CommandLine.arguments[1]
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let port = address[address.index(after: colon)...]
    let listener = Listener(host: String(address[..<colon]), port: String(port), events: continuation)
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
      case .online(let socket): box.online(socket: socket)
      case .offline(let socket): box.offline(socket: socket)
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
