extension Gateway {
  /// Registers a handler in Swift for a method.
  ///
  /// The handler runs in a `Task` of its own for each request. Once nobody wants the answer any more (a newer request
  /// superseded this one, or its caller cancelled it, disconnected, or ran out of time), that `Task` is cancelled:
  /// `Task.isCancelled` is true, and calls that support cancellation throw `CancellationError`. Let that error pass, or
  /// stop in another way: whatever the handler still returns or throws is dropped.
  ///
  /// The handler runs for notifications, too. Their `Task`s are never cancelled, and their results and errors are
  /// dropped. At most 10,000 of them run at once on each of ``GatewayOptions/loops``; further ones are dropped. Only a
  /// ``Policy`` puts handlers in an order. For it, a notification has ended as soon as its handler starts.
  ///
  /// An error that the handler throws becomes the answer:
  ///
  /// | thrown | answered |
  /// |---|---|
  /// | ``RPCFailure`` | its code, message and data |
  /// | anything else | -32603 `internal error`, without details: the error itself is logged |
  ///
  /// Params that cannot be decoded are answered -32602, with a message that says where and why:
  /// `params.text is missing`. Without params, the handler gets what decodes from `{}`, or nil if `Params` is an
  /// optional.
  ///
  /// A result is at most ``GatewayOptions/messageBytes`` less 32 KiB of JSON; a longer one is answered -32086, and
  /// logged.
  ///
  /// - Parameters:
  ///   - method: The method's full name, 1 to 256 bytes of UTF-8 without `*`.
  ///   - key: Where the params hold the key, as a JSON Pointer (RFC 6901): `/box`, `/textDocument/uri`, `/0`. A
  ///     request can give a key itself, in its member `task`; a request without a key competes with none.
  ///   - policy: What happens when the key is busy; a request's own `task` can say otherwise.
  ///   - options: Defaults for requests that do not say otherwise in their `task`.
  ///   - handler: Does the work.
  /// - Precondition: The method is registered once, and is not one of the gateway's own (`lastword.`, `rpc.`,
  ///   `$/cancelRequest`); `key` is a JSON Pointer; ``MethodOptions`` are within their bounds and go with the policy.
  public mutating func handle<Params: Decodable & SendableMetatype, Answer: Encodable & SendableMetatype>(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Params) async throws -> Answer
  ) {
    handle(method, key: key, policy: policy, options: options) { (request: Request) in
      try AnswerText.encode(try await handler(try request.decode()))
    }
  }

  /// Registers a handler that gives its answer in pieces, as a language model writes.
  ///
  /// A caller whose request has `"stream": true` in its `task` gets each piece at once, as the notification
  /// `lastword.piece`, and then the answer. Once a newer request supersedes its own, it gets no more pieces. Other
  /// callers get the answer alone.
  ///
  /// ```swift
  /// var gateway = Gateway(listen: ["127.0.0.1:5278"])
  /// gateway.handle("write", key: "/box") { (query: Query, pieces: Pieces<String>) in
  ///   try await pieces.give(all: model.words(query.text))
  ///   return "whole"
  /// }
  /// ```
  ///
  /// All else is as for a handler without pieces.
  public mutating func handle<
    Params: Decodable & SendableMetatype, Piece: Encodable & SendableMetatype,
    Answer: Encodable & SendableMetatype
  >(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Params, Pieces<Piece>) async throws -> Answer
  ) {
    handle(method, key: key, policy: policy, options: options) { (request: Request) in
      try AnswerText.encode(try await handler(try request.decode(), request.pieces()))
    }
  }

  /// Registers a handler without a result: its requests are answered `null`.
  ///
  /// All else is as for a handler with a result. Use it for methods that clients send as notifications, too.
  public mutating func handle<Params: Decodable & SendableMetatype>(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Params) async throws -> Void
  ) {
    handle(method, key: key, policy: policy, options: options) { (request: Request) in
      try await handler(try request.decode())
      return AnswerText.null
    }
  }

  /// Registers a handler that reads and writes JSON text itself.
  ///
  /// The result is sent byte for byte, but for line breaks between tokens, which become spaces. A result that is no
  /// JSON, or has more than 127 levels of arrays and objects, is answered -32603, and logged. All else is as for a
  /// handler with decoded params.
  public mutating func handle(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Request) async throws -> [UInt8]
  ) {
    precondition(!method.utf8.contains(UInt8(ascii: "*")), "\(method): a handler answers one method")
    register(Registration(method, .handler(handler), key: key, policy: policy, options))
  }

  /// Forwards a method's requests to a JSON-RPC server: one JSON text per line, over one connection from each of
  /// ``GatewayOptions/loops``.
  ///
  /// Params and results pass byte for byte, but for line breaks between tokens, which become spaces. A request waits up
  /// to 4 seconds for a connection, and is then answered -32084. A lost connection is opened again.
  ///
  /// - Parameters:
  ///   - methods: A method's full name, or a prefix and a `*`: `lsp.*`; 1 to 256 bytes of UTF-8. A full name wins over
  ///     a prefix, a longer prefix over a shorter one.
  ///   - address: The server's: `tcp:HOST:PORT` or `unix:PATH`. All methods with the same address share its
  ///     connection. If it is not valid, ``run(onReady:)`` throws ``GatewayError/Code/invalidAddress``.
  ///   - key: Where the params hold the key, as a JSON Pointer (RFC 6901).
  ///   - policy: What happens when the key is busy; a request's own `task` can say otherwise.
  ///   - cancel: How the server is told that an answer is not wanted any more.
  ///   - options: Defaults for requests that do not say otherwise in their `task`.
  /// - Precondition: As for a handler.
  public mutating func forward(
    _ methods: String, to address: String, key: String? = nil, policy: Policy = .cancel,
    cancel: CancelNotice = .lsp, options: MethodOptions = MethodOptions()
  ) {
    register(Registration(methods, .server(address, cancel), key: key, policy: policy, options))
  }

  private mutating func register(_ registration: Registration) {
    precondition(
      !registrations.contains { $0.isForTheSame(as: registration) },
      "\(registration.pattern) is registered twice")
    registrations.append(registration)
  }
}
