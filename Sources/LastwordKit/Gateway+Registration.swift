extension Gateway {
  /// Lets Swift code answer a method's requests.
  ///
  /// The handler runs in a `Task` of its own for each request. Once nobody wants the answer any more (a newer request
  /// superseded this one, its caller cancelled it, went away, or ran out of time), that `Task` is cancelled:
  /// `Task.isCancelled` is true, and what waits in a cancellable way throws `CancellationError`. Throw it on, or stop
  /// however you like: whatever the handler still returns or throws reaches nobody.
  ///
  /// It runs for notifications, too. Nobody can take those back, so they are never cancelled, and what they return or
  /// throw goes nowhere. There is no order between handlers but what a ``Policy`` makes; one of a notification counts
  /// as ended as soon as it starts.
  ///
  /// What it throws becomes the answer:
  ///
  /// | thrown | answered |
  /// |---|---|
  /// | ``RPCFailure`` | its code, message and data |
  /// | anything else | -32603 `internal error`, and no more: the error itself is logged |
  ///
  /// Params that cannot be decoded are -32602, with a message that says where and why: `params.text is missing`.
  /// A request without params is decoded from `{}`, or is nil where `Params` is an optional.
  ///
  /// - Parameters:
  ///   - method: The method's full name. It is registered once, and cannot be one of the gateway's own (`lastword.`,
  ///     `rpc.`, `$/cancelRequest`).
  ///   - key: Where the params hold the key, as a JSON Pointer (RFC 6901): `/box`, `/textDocument/uri`, `/0`. A
  ///     request can say a key itself, in its member `task`; without either it competes with nothing.
  ///   - policy: What happens when the key is busy, unless the request says it itself.
  ///   - options: What else such requests get that do not say it themselves.
  ///   - handler: Does the work.
  public mutating func handle<Params: Decodable & SendableMetatype, Answer: Encodable & SendableMetatype>(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Params) async throws -> Answer
  ) {
    handle(method, key: key, policy: policy, options: options) { (request: Request) in
      try AnswerText.encode(try await handler(try request.decode()))
    }
  }

  /// Lets Swift code answer a method's requests piece by piece, as a model writes.
  ///
  /// A caller that says `task.stream` gets each piece as it is given, as the notification `lastword.piece`, and then the
  /// answer; from the moment in which a newer request supersedes it, it gets none. Others get the answer alone.
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

  /// Lets Swift code answer a method's requests, where there is nothing to say but that it is done: the result is
  /// `null`.
  ///
  /// All else is as for a handler with a result. Use it for notifications, too.
  public mutating func handle<Params: Decodable & SendableMetatype>(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Params) async throws -> Void
  ) {
    handle(method, key: key, policy: policy, options: options) { (request: Request) in
      try await handler(try request.decode())
      return AnswerText.null
    }
  }

  /// Lets Swift code answer a method's requests, as JSON text.
  ///
  /// The result leaves byte for byte, but for line breaks between tokens, which become spaces. All else is as for a
  /// handler with decoded params. What is no JSON is answered -32603, and logged.
  public mutating func handle(
    _ method: String, key: String? = nil, policy: Policy = .cancel, options: MethodOptions = MethodOptions(),
    _ handler: @escaping @Sendable (Request) async throws -> [UInt8]
  ) {
    precondition(!method.utf8.contains(UInt8(ascii: "*")), "\(method): a handler answers one method")
    register(Registration(method, .handler(handler), key: key, policy: policy, options))
  }

  /// Sends a method's requests on to a JSON-RPC server: one JSON text per line, over one connection.
  ///
  /// Params and results pass byte for byte. Without a connection requests are answered -32084, and the gateway
  /// connects again by itself.
  ///
  /// - Parameters:
  ///   - methods: A method's full name, or the beginning of several and a `*`: `lsp.*`. A name wins over a beginning,
  ///     a longer beginning over a shorter one.
  ///   - address: `tcp:HOST:PORT` or `unix:PATH`. What goes to the same address shares a connection.
  ///   - key: Where the params hold the key, as a JSON Pointer (RFC 6901).
  ///   - policy: What happens when the key is busy, unless the request says it itself.
  ///   - cancel: How the server is told that an answer is not wanted any more.
  ///   - options: What else such requests get that do not say it themselves.
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
