import Addresses
import Client
import Foundation
import JSONRPC
import LibUV
import Upstreams

/// What a handler of a test tells the test.
enum HandlerEvent: Sendable { case started, cancelled }

/// A served handler and one client of it, on one loop.
final class Conversation {
  typealias Events = Mailbox<HandlerEvent>.Sender

  /// What is known once it is over.
  struct Outcome: Sendable {
    var heard: [String] = []
    var events: [HandlerEvent] = []
    var closed: String?
    var hasTimedOut = false
  }

  /// Long, for a handler's task gets a thread only after all tests that wait for one.
  private static let watchdogMilliseconds: UInt64 = 1_200_000

  private var outcome = Outcome()
  private let loop: EventLoop
  private let pool: ClientPool
  /// Whether the client resets its connection as soon as the handler runs, instead of ending its side at once.
  private let vanishes: Bool
  private var mailbox: Mailbox<HandlerEvent>?
  private var server: HandlerServer?
  private var watchdog: LoopTimer?
  private var client: ClientConnection?

  /// Runs on a thread of its own: the handler's tasks need those that tests run on.
  static func held(
    _ lines: [String], vanishing: Bool = false,
    with handler: @escaping @Sendable (Events) -> any RequestHandler
  ) async throws -> Outcome {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let conversation = try Conversation(lines, vanishing, handler)
            conversation.loop.run()
            return conversation.outcome
          })
      }
    }
  }

  private init(_ lines: [String], _ vanishes: Bool, _ handler: (Events) -> any RequestHandler) throws {
    loop = try EventLoop()
    pool = ClientPool(on: loop)
    self.vanishes = vanishes
    let mailbox = try Mailbox<HandlerEvent>(on: loop) { [unowned self] in self.happened($0) }
    self.mailbox = mailbox
    let anyPort = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    let server = try HandlerServer(handler(mailbox.sender), on: loop, address: anyPort)
    self.server = server
    pool.connect(to: server.address) { [unowned self] in self.connected($0, lines) }
    watchdog = LoopTimer(on: loop) { [unowned self] in
      outcome.hasTimedOut = true
      end()
    }
    watchdog?.start(afterMilliseconds: Self.watchdogMilliseconds)
  }

  private func connected(_ result: Result<ClientConnection, UVError>, _ lines: [String]) {
    guard case .success(let client) = result else { return end() }
    self.client = client
    client.delegate = self
    for line in lines { client.output.append(contentsOf: Array((line + "\n").utf8)) }
    if vanishes { client.sendSoon() } else { client.end() }
  }

  private func happened(_ event: HandlerEvent) {
    outcome.events.append(event)
    guard vanishes else { return }
    if event == .started { client?.reset() } else { end() }
  }

  private func end() {
    client?.close()
    pool.close()
    server?.close()
    mailbox?.close()
    watchdog?.close()
  }
}

extension Conversation: ClientConnectionDelegate {
  func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    var line: [UInt8] = []
    line.append(bytes, message)
    outcome.heard.append(String(decoding: line, as: UTF8.self))
  }

  func connection(_ connection: ClientConnection, closed reason: String) {
    outcome.closed = reason
    end()
  }
}

@available(*, unavailable)
extension Conversation: Sendable {}
