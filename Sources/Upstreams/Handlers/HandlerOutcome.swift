import JSONRPC

/// The outcome of a message, on its way to the loop.
enum HandlerOutcome: Sendable {
  case answered(RequestID, line: [UInt8])
  /// It was refused: no `Task` was made for it.
  case refused(line: [UInt8])
  case notified
  /// A piece of an answer.
  case piece(line: [UInt8])
}

extension RequestHandler {
  /// The whole answer, be it a result or an error, as a line.
  func line(answering request: HandlerRequest, _ id: RequestID) async -> [UInt8] {
    var line: [UInt8] = []
    do {
      let result = try await answer(request)
      MessageWriter.answer(id, isError: false, result.span, result.indices, into: &line)
    } catch let error as RPCError {
      MessageWriter.error(id, error, into: &line)
    } catch let failure as HandlerFailure {
      MessageWriter.error(id, failure.error, data: failure, into: &line)
    } catch is CancellationError {
      MessageWriter.error(id, .cancelled, into: &line)
    } catch {
      MessageWriter.error(id, .internalError.with(message: "\(error)"), into: &line)
    }
    return line
  }
}
