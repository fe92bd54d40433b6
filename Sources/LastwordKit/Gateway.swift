public import Logging

/// A JSON-RPC gateway in your own program: it listens for clients, lets the newest request of a key win, and calls your
/// Swift code to do the work.
///
/// ```swift
/// var gateway = Gateway(listen: ["127.0.0.1:5278"])
/// gateway.handle("search", key: "/box") { (query: Query) in
///   try await index.search(query.text)
/// }
/// try await gateway.run()
/// ```
///
/// Any client of JSON-RPC 2.0 can connect: with one message per line, with `Content-Length` before each message, over
/// HTTP or over WebSocket (``GatewayOptions/protocols``). Requests that share a key compete: when a newer request
/// supersedes an older one, the caller of the older one is answered -32080 at once, and the `Task` of its handler is
/// cancelled.
///
/// A gateway is a value that describes what will run. Methods that you register after calling ``run(onReady:)`` have no
/// effect on that run.
public struct Gateway: Sendable {
  let listen: [String]
  let options: GatewayOptions
  let logger: Logger
  var registrations: [Registration] = []

  /// Describes a gateway that does not listen yet.
  ///
  /// - Parameters:
  ///   - listen: The addresses that clients connect to: `HOST:PORT`, `[::1]:PORT` or `unix:PATH`. With port 0 the
  ///     kernel chooses the port; ``run(onReady:)`` reports it.
  ///   - options: Bounds, times and access.
  ///   - logger: Gets the gateway's log; by default nothing is logged.
  /// - Precondition: The options are within the bounds that ``GatewayOptions`` gives. (Wrong addresses, principals,
  ///   origins and hosts are errors of ``run(onReady:)``.)
  public init(
    listen: [String] = ["127.0.0.1:5278"], options: GatewayOptions = GatewayOptions(),
    logger: Logger = Logger(label: "lastword", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    options.check()
    self.listen = listen
    self.options = options
    self.logger = logger
  }

  /// Serves clients until the surrounding task is cancelled, then drains and returns.
  ///
  /// While it drains, it accepts no connections, answers new requests -32085, and finishes those that it has taken.
  /// After ``GatewayOptions/drain`` the rest is answered -32085, too, and the `Task`s of its handlers are cancelled.
  ///
  /// When this method returns, nothing of the gateway is left: no socket, no thread, no handler. It therefore waits for
  /// handlers that ignore their cancellation, and for those that work on notifications, however long they take.
  ///
  /// Each call runs a separate gateway, on a thread of its own.
  ///
  /// - Parameter onReady: Called once, when clients can connect, with the addresses to connect to: those that you gave,
  ///   with the ports that the kernel chose. It is not called if the gateway cannot start.
  /// - Throws: A ``GatewayError`` if the gateway cannot start. Once it serves, only cancellation ends it.
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
