public import Logging

/// A JSON-RPC gateway in your own program: it listens, lets the newest request of a key win, and has the work done by
/// Swift code.
///
/// ```swift
/// var gateway = Gateway(listen: ["127.0.0.1:5278"])
/// gateway.handle("search", key: "/box") { (query: Query) in
///   try await index.search(query.text)
/// }
/// try await gateway.run()
/// ```
///
/// Clients are any that speak JSON-RPC 2.0, a line or a `Content-Length` body a message. Those that share a key
/// compete: when a newer request supersedes an older one, the older one's caller is answered -32080 at once, and the
/// `Task` that its handler runs in is cancelled.
///
/// A gateway is a value that describes what will run. What you register after the call of ``run(onReady:)`` has no
/// effect on that run.
public struct Gateway: Sendable {
  let listen: [String]
  let options: GatewayOptions
  let logger: Logger
  var registrations: [Registration] = []

  /// - Parameters:
  ///   - listen: Where clients connect: `HOST:PORT`, `[::1]:PORT` or `unix:PATH`. Port 0 is one of the kernel's
  ///     choice; ``run(onReady:)`` tells which.
  ///   - options: Bounds and times.
  ///   - logger: Where the gateway tells what happens to it; by default nowhere.
  public init(
    listen: [String] = ["127.0.0.1:5278"], options: GatewayOptions = GatewayOptions(),
    logger: Logger = Logger(label: "lastword", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    options.check()
    self.listen = listen
    self.options = options
    self.logger = logger
  }

  /// Serves until the surrounding task is cancelled: then it drains, and returns.
  ///
  /// Draining means that no connection and no new request is taken any more, while what was taken is answered. What
  /// has no answer after ``GatewayOptions/drain`` is answered -32085, and its handler's `Task` is cancelled. When
  /// this returns, nothing of the gateway is left: no socket, no thread, no handler. So a handler that ignores its
  /// cancellation, and one that works on a notification, hold it up until they return.
  ///
  /// Each call runs a gateway of its own, on a thread of its own.
  ///
  /// - Parameter onReady: Called once clients can connect, with the addresses they can connect to: those that you
  ///   gave, with the ports that the kernel chose.
  /// - Throws: A ``GatewayError`` if it cannot listen; nothing else ends it.
  public nonisolated(nonsending) func run(
    onReady: (_ addresses: [String]) async -> Void = { _ in }
  ) async throws(GatewayError) {
    let methods = MethodTable(registrations, messageBytes: options.messageBytes, logger)
    let thread = GatewayThread(try ServerPlan(self, methods))
    let outcome = await withTaskCancellationHandler {
      await thread.run(onReady: onReady)
    } onCancel: {
      thread.stop()
    }
    await methods.calls.allEnded()
    try outcome.get()
  }
}
