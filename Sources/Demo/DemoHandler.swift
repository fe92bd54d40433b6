import JSONRPC
package import Upstreams

/// Answers `echo`, `sleep`, `search` and `write`: an upstream to try the gateway with.
package struct DemoHandler: RequestHandler {
  /// The longest `sleep`, and the longest pause between two words of `write`.
  package static let sleepLimitMilliseconds: UInt64 = 60_000

  package let counters = DemoCounters()
  /// Whether cancelled requests are answered all the same, as by servers that know no cancellation.
  private let ignoresCancellation: Bool
  /// Told the `number` among a search's params when its answer is ready, on whatever thread that is.
  private let onAnswer: @Sendable (Int) -> Void
  private let source: SearchSource

  package init(
    _ search: FileSearch, ignoresCancellation: Bool = false,
    onAnswer: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    source = SearchSource(search)
    self.ignoresCancellation = ignoresCancellation
    self.onAnswer = onAnswer
  }

  /// Loads the directory when the first search comes.
  package init(directory: String, ignoresCancellation: Bool = false) {
    source = SearchSource(directory: directory)
    self.ignoresCancellation = ignoresCancellation
    onAnswer = { _ in }
  }

  package func answer(_ request: HandlerRequest) async throws -> [UInt8] {
    counters.countStarted()
    do {
      switch String(decoding: request.method, as: UTF8.self) {
      case "echo": return request.echoed
      case "sleep": return try await sleep(request)
      case "search": return try await search(request)
      case "write": return try await write(request)
      default: throw RPCError.methodNotFound
      }
    } catch let error as CancellationError {
      counters.countCancelled()
      throw error
    }
  }

  private func sleep(_ request: HandlerRequest) async throws -> [UInt8] {
    let limit = Self.sleepLimitMilliseconds
    guard let milliseconds = DemoParams(request.params).nonNegativeInteger("ms"), milliseconds <= limit else {
      throw RPCError.invalidParams.with(message: "sleep wants {\"ms\":N}, N from 0 to \(limit)")
    }
    try await sleep(milliseconds)
    return request.echoed
  }

  private func sleep(_ milliseconds: UInt64) async throws {
    let sleeping = { try await Task.sleep(for: .milliseconds(milliseconds)) }
    // A task of its own does not hear that this one is cancelled.
    if ignoresCancellation { try await Task(operation: sleeping).value } else { try await sleeping() }
  }

  /// Gives its text word by word, as a model writes.
  private func write(_ request: HandlerRequest) async throws -> [UInt8] {
    let (params, limit) = (DemoParams(request.params), Self.sleepLimitMilliseconds)
    guard let text = params.string("text"), let milliseconds = params.nonNegativeInteger("ms"),
      milliseconds <= limit
    else {
      throw RPCError.invalidParams.with(
        message: "write wants {\"text\":\"…\",\"ms\":N}, N from 0 to \(limit) for each word")
    }
    for word in text.split(separator: UInt8(ascii: " ")) {
      try await sleep(milliseconds)
      request.givePiece(json(word))
    }
    return json(text[...])
  }

  private func json(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var json: [UInt8] = []
    MessageWriter.appendString(Array(text), into: &json)
    return json
  }

  private func search(_ request: HandlerRequest) async throws -> [UInt8] {
    let params = DemoParams(request.params)
    guard let query = params.string("q").flatMap({ Query($0) }) else {
      throw RPCError.invalidParams.with(
        message: "search wants {\"q\":\"…\"}, one line of 1 to \(Query.limitBytes) bytes")
    }
    let search = try await loaded()
    let result = try await search.search(
      query, isCancelled: { [ignoresCancellation] in !ignoresCancellation && Task.isCancelled },
      spent: { [counters] in counters.add(busyNanoseconds: $0) })
    if let number = params.nonNegativeInteger("number").flatMap({ Int(exactly: $0) }) { onAnswer(number) }
    return result.json()
  }

  private func loaded() async throws -> FileSearch {
    do {
      return try await source.search
    } catch let error as LoadError {
      throw RPCError.internalError.with(message: "\(error)")
    }
  }
}

extension HandlerRequest {
  fileprivate var echoed: [UInt8] { params.isEmpty ? Array("null".utf8) : params }
}
