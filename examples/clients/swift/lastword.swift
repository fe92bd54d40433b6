// A minimal client of lastword, to be copied. Swift 6.2 and newer, with Foundation; any task may call.
//
//     let gateway = try Lastword(host: "127.0.0.1", port: 5278)
//     let found: Found = try await gateway.call("search", ["q": "swift"], task: .init(key: "search:tab-1", policy: "cancel"))
//
// Under TLS, with secure.swift, and to a gateway that asks who comes:
//
//     let socket = try Lastword.connected("gateway.example", 5280)
//     let gateway = try Lastword(over: SecureSocket(socket, to: "gateway.example", ca: "ca.pem"))
//     try await gateway.authenticate(token)

import Foundation
import Glibc

/// What carries bytes to a gateway and back; one thread reads while another writes.
protocol Carrier: AnyObject, Sendable {
  /// Waits for some bytes, for so long at most; a negative number: for ever. None at the end.
  func read(withinMilliseconds: Int32) -> Data
  /// Waits until all of them are on their way; whoever reads hears that this will never be.
  func write(_ bytes: Data)
  /// Ends the connection, and the waiting; what it takes is given back when nobody has it any more.
  func end()
}

/// One connection, which does not come back.
actor Lastword {
  /// What a request competes for, and how: see proto/spec.md.
  struct Task: Encodable, Sendable {
    var key: String?
    var policy: String?
    var group: String?
    var timeoutMs: Int?
    var debounceMs: Int?
  }

  /// What came instead of a result.
  struct RPCError: Error, Decodable {
    struct Details: Decodable {
      let key: String?
      let generation: Int?
      let supersededBy: Int?
      let phase: String?
      let upstream: String?
    }

    enum Names: CodingKey {
      case code, message, data
    }

    let code: Int
    let message: String
    /// What the gateway says of a request that it answers itself; nothing of what upstream says.
    let data: Details?

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Names.self)
      code = try members.decode(Int.self, forKey: .code)
      message = try members.decode(String.self, forKey: .message)
      data = try? members.decode(Details.self, forKey: .data)
    }

    /// Superseded or cancelled: nothing to show to anybody.
    var isUnwanted: Bool { code == -32080 || code == -32800 }

    /// The gateway says that upstream got the request, and may have done the work.
    var mayHaveRun: Bool { data?.upstream == "cancelSent" || data?.upstream == "mayHaveCompleted" }
  }

  /// Nobody was there, or the connection has ended.
  struct Lost: Error {}

  private struct Request<Params: Encodable>: Encodable {
    var jsonrpc = "2.0"
    var id: Int?
    let method: String
    let params: Params?
    var task: Task?
  }

  private struct Head: Decodable {
    let id: Int?
  }

  private struct Answer<Value: Decodable>: Decodable {
    let result: Value?
    let error: RPCError?
  }

  private let carrier: any Carrier
  private var open: [Int: CheckedContinuation<Data, any Error>] = [:]
  private var isLost = false
  private var lastID = 0

  /// Waits until the connection stands; throws `Lost` if nobody is there.
  init(host: String = "127.0.0.1", port: Int = 5278) throws {
    self.init(over: PlainSocket(descriptor: try Self.connected(host, port)))
  }

  init(over carrier: some Carrier) {
    self.carrier = carrier
    let lines = AsyncStream<Data> { lines in
      Thread.detachNewThread { Self.read(carrier, lines) }
    }
    _Concurrency.Task { await listen(lines) }
  }

  /// Says who this is, before anything else; throws an `RPCError` if the gateway does not know the token.
  func authenticate(_ token: String) async throws {
    struct Known: Decodable { let principal: String }
    _ = try await call("lastword.authenticate", ["token": token], as: Known.self)
  }

  /// Ends the connection; what is open fails.
  func close() {
    if !isLost { carrier.end() }
  }

  /// Throws an `RPCError`, `Lost`, a `DecodingError` for another result than expected, or a `CancellationError` when the
  /// task that waits is cancelled, which cancels upstream's work, too.
  func call<Result: Decodable>(
    _ method: String, _ params: (some Encodable)?, task: Task? = nil, as _: Result.Type = Result.self
  ) async throws -> Result {
    lastID += 1
    let id = lastID
    let line = try JSONEncoder().encode(Request(id: id, method: method, params: params, task: task))
    let data = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
        if isLost { return continuation.resume(throwing: Lost()) }
        open[id] = continuation
        send(line)
      }
    } onCancel: {
      _Concurrency.Task { await cancel(id) }
    }
    let answer = try JSONDecoder().decode(Answer<Result>.self, from: data)
    if let error = answer.error { throw error }
    if let result = answer.result { return result }
    // Only what may be null is no mistake then.
    return try JSONDecoder().decode(Result.self, from: Data("null".utf8))
  }

  private func cancel(_ id: Int) {
    guard let waiting = open.removeValue(forKey: id) else { return }
    let request = Request(method: "$/cancelRequest", params: ["id": id])
    if let line = try? JSONEncoder().encode(request) { send(line) }
    waiting.resume(throwing: CancellationError())
  }

  private func send(_ message: Data) {
    if !isLost { carrier.write(message + [UInt8(ascii: "\n")]) }
  }

  private func listen(_ lines: AsyncStream<Data>) async {
    for await line in lines {
      // Behind what is no message nothing is to be trusted.
      guard let head = try? JSONDecoder().decode(Head.self, from: line) else { break }
      if let id = head.id { open.removeValue(forKey: id)?.resume(returning: line) }
    }
    isLost = true
    carrier.end()
    for waiting in open.values { waiting.resume(throwing: Lost()) }
    open = [:]
  }

  private static func read(_ carrier: any Carrier, _ lines: AsyncStream<Data>.Continuation) {
    var rest = Data()
    while case let bytes = carrier.read(withinMilliseconds: -1), !bytes.isEmpty {
      guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
        rest += bytes
        continue
      }
      for line in (rest + bytes[..<end]).split(separator: UInt8(ascii: "\n")) { lines.yield(Data(line)) }
      rest = Data(bytes[(end + 1)...])
    }
    lines.finish()
  }

  /// To the first of the host's addresses where somebody answers.
  static func connected(_ host: String, _ port: Int) throws -> Int32 {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &wanted, &found) == 0 else { throw Lost() }
    defer { freeaddrinfo(found) }
    var next = found
    while let address = next?.pointee {
      let socket = Glibc.socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      if socket >= 0, connect(socket, address.ai_addr, address.ai_addrlen) == 0 {
        var isOn: Int32 = 1
        setsockopt(
          socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
        return socket
      }
      if socket >= 0 { Glibc.close(socket) }
      next = address.ai_next
    }
    throw Lost()
  }
}

/// A connection without TLS.
private final class PlainSocket: Carrier {
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { Glibc.close(descriptor) }

  func read(withinMilliseconds patience: Int32) -> Data {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, patience) > 0 else { return Data() }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return Data(bytes.prefix(max(0, count)))
  }

  func write(_ bytes: Data) {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    // Half a line is worse than none.
    if count != bytes.count { end() }
  }

  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
