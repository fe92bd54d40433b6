import GatewayCore
import JSONRPC
import Logging
import Upstreams

/// Finds the handler of a request's method, and turns its result or error into an answer.
struct MethodTable: RequestHandler {
  /// Handlers by the bytes of their methods' names.
  private var handlers: [[UInt8]: Registration.Handler] = [:]
  private let texts: AnswerText
  private let log: Logger
  let calls = OpenCalls()

  init(_ registrations: [Registration], messageBytes: Int, _ log: Logger) {
    texts = AnswerText(messageBytes: messageBytes)
    self.log = log
    for registration in registrations {
      guard case .handler(let handler) = registration.target else { continue }
      handlers[Array(registration.route.method.utf8)] = handler
    }
  }

  func accept(_ request: HandlerRequest) { calls.began() }

  func answer(_ request: HandlerRequest) async throws -> [UInt8] {
    defer { calls.ended() }
    guard let handler = handlers[request.method] else { throw RPCError.methodNotFound }
    // The handler of a request that was superseded before its `Task` ran never starts.
    try Task.checkCancellation()
    let request = Request(request, texts)
    do {
      return try texts.checked(try await handler(request))
    } catch {
      throw answer(for: error, of: request)
    }
  }

  private func answer(for error: any Error, of request: Request) -> any Error {
    switch error {
    case let failure as RPCFailure:
      return answer(for: failure, of: request)
    case AnswerText.Fault.tooLarge:
      report("a result is too large", of: request)
      return RPCError.tooLarge.with(message: "the result is too large")
    case AnswerText.Fault.notJSON:
      report("a result is no JSON, or is nested too deep", of: request)
      return RPCError.internalError
    case _ where Task.isCancelled:
      return CancellationError()
    default:
      report("a handler failed", of: request, because: error)
      return RPCError.internalError
    }
  }

  private func answer(for failure: RPCFailure, of request: Request) -> any Error {
    guard let data = failure.data else { return failure.error }
    do {
      return HandlerFailure(failure.error, data: try texts.checked(try AnswerText.encode(data)))
    } catch {
      report("an error's data cannot be sent", of: request, because: error)
      return failure.error
    }
  }

  private func report(_ message: Logger.Message, of request: Request, because error: (any Error)? = nil) {
    var metadata: Logger.Metadata = ["method": "\(request.method)"]
    if let error { metadata["error"] = "\(error)" }
    log.error(message, metadata: metadata)
  }
}
