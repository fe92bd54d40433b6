import LastwordKit
import TestSupport

/// A gateway that a test talks to over real sockets.
final class ServedGateway: Sendable {
  /// Where it listens, with the kernel's ports.
  let addresses: [String]
  private let running: Task<Result<Void, GatewayError>, Never>

  private init(_ running: Task<Result<Void, GatewayError>, Never>, at addresses: [String]) {
    self.running = running
    self.addresses = addresses
  }

  static func start(_ gateway: Gateway) async throws -> ServedGateway {
    let (ready, announcement) = AsyncStream.makeStream(of: [String].self)
    let running = Task {
      defer { announcement.finish() }
      return await result { () async throws(GatewayError) in
        try await gateway.run { announcement.yield($0) }
      }
    }
    for await addresses in ready { return ServedGateway(running, at: addresses) }
    try await running.value.get()
    throw Unexpected(description: "it ended before it was ready")
  }

  /// Serves `gateway` while a test talks to it, on a thread of its own: handlers need those that tests run on.
  static func serving<Value: Sendable>(
    _ gateway: Gateway, _ conversation: (ServedGateway) throws -> Value
  ) async throws -> Value {
    let served = try await start(gateway)
    let outcome = await result { () async throws in try await onOwnThread { try conversation(served) } }
    served.stop()
    try await served.ended()
    return try outcome.get()
  }

  func connect() throws -> LineSocket { try LineSocket(addresses[0]) }

  /// Cancels the task that it runs in.
  func stop() { running.cancel() }

  func ended() async throws { try await running.value.get() }
}

private func result<Value, Failure>(
  _ body: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
  do throws(Failure) {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}

/// Waits until nobody listens at an address: a child that another test starts at this moment has its sockets for a while.
func untilNobodyListens(at address: String) throws {
  let limit = ContinuousClock.now + .seconds(LineSocket.watchdogSeconds)
  while (try? LineSocket(address)) != nil {
    guard ContinuousClock.now < limit else { throw Unexpected(description: "somebody listens at \(address)") }
  }
}

/// Something did not happen as a test expects it.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

extension LineSocket {
  /// The answer to a request, from its member `result` or `error` on.
  func ask(_ method: String, _ params: String? = nil, id: Int = 1) throws -> String {
    try outcome(of: call(request(method, params, id: id)), id: id)
  }

  /// The next answer, from its member `result` or `error` on.
  func outcome(id: Int) throws -> String { try outcome(of: expect(), id: id) }

  private func outcome(of line: String, id: Int) throws -> String {
    let beginning = #"{"jsonrpc":"2.0","id":\#(id),"#
    guard line.hasPrefix(beginning) else { throw Unexpected(description: "not the answer to \(id): \(line)") }
    return String(line.dropFirst(beginning.count).dropLast())
  }
}

func request(_ method: String, _ params: String? = nil, id: Int? = 1, task: String? = nil) -> String {
  let id = id.map { #""id":\#($0),"# } ?? ""
  let params = params.map { #","params":\#($0)"# } ?? ""
  let task = task.map { #","task":\#($0)"# } ?? ""
  return #"{"jsonrpc":"2.0",\#(id)"method":"\#(method)"\#(params)\#(task)}"#
}
