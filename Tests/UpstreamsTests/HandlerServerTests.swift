import LibUV
import Synchronization
import Testing
import Upstreams

/// Answers with its params.
private struct Echo: RequestHandler {
  func answer(_ request: HandlerRequest) async throws -> [UInt8] { request.params }
}

/// Never answers unless it is cancelled.
private struct Patience: RequestHandler {
  let events: Conversation.Events

  func answer(_ request: HandlerRequest) async throws -> [UInt8] {
    events.send(.started)
    do {
      try await Task.sleep(for: .seconds(600))
    } catch {
      events.send(.cancelled)
      throw error
    }
    return request.params
  }
}

/// Keeps notifications, counts them, and tells how many came when it is asked.
private final class Hoard: RequestHandler {
  private let notifications = Mutex(0)
  private let isOver = AsyncStream<Void>.makeStream()

  func accept(_ request: HandlerRequest) {
    if request.params.isEmpty { notifications.withLock { $0 += 1 } }
  }

  func answer(_ request: HandlerRequest) async throws -> [UInt8] {
    if request.params.isEmpty {
      for await _ in isOver.stream {}
    } else {
      isOver.continuation.finish()
    }
    return Array("\(notifications.withLock { $0 })".utf8)
  }
}

/// Answers with more than any socket buffer holds.
private struct Large: RequestHandler {
  static let resultBytes = 12 << 20

  func answer(_ request: HandlerRequest) async throws -> [UInt8] {
    [UInt8(ascii: "\"")] + Array(repeating: UInt8(ascii: "x"), count: Self.resultBytes) + [UInt8(ascii: "\"")]
  }
}

/// Swift code served over a real socket, with clients that end their side, or vanish.
@Suite struct HandlerServerTests {
  @Test func `a client that says no more still gets every answer`() async throws {
    let outcome = try await Conversation.held([
      #"{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}"#, "nonsense",
      #"{"jsonrpc":"2.0","id":"b","method":"echo","params":{"q":2}}"#,
    ]) { _ in Echo() }
    #expect(
      outcome.heard.sorted() == [
        #"{"jsonrpc":"2.0","id":"b","result":{"q":2}}"#, #"{"jsonrpc":"2.0","id":1,"result":[1]}"#,
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#,
      ])
    #expect(outcome.closed == "closed by the peer")
  }

  @Test func `what is cancelled is answered as cancelled`() async throws {
    let outcome = try await Conversation.held([
      #"{"jsonrpc":"2.0","id":1,"method":"wait"}"#,
      #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
    ]) { Patience(events: $0) }
    #expect(outcome.heard == [#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"cancelled"}}"#])
    #expect(outcome.closed == "closed by the peer")
  }

  @Test func `notifications run, so many at once, and are not answered`() async throws {
    let notification = #"{"jsonrpc":"2.0","method":"note"}"#
    let lines = Array(repeating: notification, count: HandlerSession.runningLimit + 7)
    let question = #"{"jsonrpc":"2.0","id":1,"method":"how many","params":[]}"#
    let outcome = try await Conversation.held(lines + [question]) { _ in Hoard() }
    #expect(outcome.heard == [#"{"jsonrpc":"2.0","id":1,"result":\#(HandlerSession.runningLimit)}"#])
  }

  @Test func `answers larger than any socket buffer arrive whole`() async throws {
    let lines = (1...3).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"large"}"# }
    let outcome = try await Conversation.held(lines) { _ in Large() }
    #expect(outcome.heard.count == 3)
    #expect(outcome.heard.allSatisfy { $0.utf8.count > Large.resultBytes })
    #expect(outcome.closed == "closed by the peer")
  }

  @Test func `a client that vanishes cancels what runs for it`() async throws {
    let line = #"{"jsonrpc":"2.0","id":1,"method":"wait"}"#
    let outcome = try await Conversation.held([line], vanishing: true) { Patience(events: $0) }
    #expect(outcome.events == [.started, .cancelled])
    #expect(outcome.heard.isEmpty && !outcome.hasTimedOut)
  }
}
