import GatewayCore
import JSONRPC
import TaskStore

/// Writes an event for the live page: an array of a letter for its kind, the milliseconds since its frame began, the
/// task's generation, and further members that depend on the kind.
enum EventText {
  /// The longest text of an event without its key and its method.
  static let ownLimitBytes = 192
  /// The anonymous clients of the first listener.
  private static let usualOwner = Namespace.Owner.listener(0, principals: 0)

  /// - Parameters:
  ///   - text: holds the event's key and method, in UTF-8.
  ///   - origin: the place of the request's origin in the frame; nil: it is not known, or does not matter.
  static func write(
    _ event: TaskEvent, _ text: Span<UInt8>, offsetMilliseconds: UInt64, origin: Int?,
    into output: inout OutputSpan<UInt8>
  ) {
    output.append(opening(event.kind))
    output.append(decimal: offsetMilliseconds)
    if case .rejected(let policy, let rejection) = event.kind {
      writeKey(event, text, into: &output)
      output.append(",\"")
      output.append(policy.wireName)
      output.append("\",\"")
      output.append(rejection.name)
      output.append("\"")
      writeOwner(event, origin, into: &output)
      return output.append("]")
    }
    output.append(",")
    output.append(decimal: event.generation)
    writeRest(of: event, text, origin, into: &output)
    output.append("]")
  }

  private static func opening(_ kind: TaskEvent.Kind) -> StaticString {
    switch kind {
    case .admitted: "[\"a\","
    case .joined: "[\"j\","
    case .rejected: "[\"r\","
    case .sent: "[\"s\","
    case .followed: "[\"f\","
    case .refused, .abandoned: "[\"x\","
    case .firstPiece: "[\"p\","
    case .cancelSent: "[\"c\","
    case .answered: "[\"d\","
    case .ended: "[\"z\","
    }
  }

  private static func writeRest(
    of event: TaskEvent, _ text: Span<UInt8>, _ origin: Int?, into output: inout OutputSpan<UInt8>
  ) {
    switch event.kind {
    case .admitted(let policy):
      writeKey(event, text, into: &output)
      output.append(",\"")
      output.append(policy.wireName)
      output.append("\",")
      if event.method.isEmpty { output.append("null") } else { output.append(text.extracting(event.method)) }
      writeOwner(event, origin, into: &output)
    case .joined: writeOrigin(origin, into: &output)
    case .refused(let reason, _, let effect, taskGoesOn: _):
      writeRefusal(reason, effect, into: &output)
      if event.unusualCode < 0 {
        output.append(",-")
        output.append(decimal: UInt64(-event.unusualCode))
      }
    case .followed(let newer):
      output.append(",")
      output.append(decimal: newer)
    case .abandoned:
      output.append(",\"abandoned\",null,null")
    case .answered(let isError):
      output.append(isError ? ",0" : ",1")
    case .ended(let ending):
      output.append(",")
      output.append(decimal: UInt64(ending.rawValue))
    case .rejected, .sent, .firstPiece, .cancelSent: break
    }
  }

  /// Writes the owner of a key, and the request's origin; neither, if the origin is not known and the owner is the
  /// usual one.
  private static func writeOwner(_ event: TaskEvent, _ origin: Int?, into output: inout OutputSpan<UInt8>) {
    let owner = event.namespace?.owner ?? usualOwner
    guard owner != usualOwner || origin != nil else { return }
    output.append(",")
    write(owner, into: &output)
    writeOrigin(origin, into: &output)
  }

  /// Writes an owner as an object without members that are 0; the usual owner as 0.
  private static func write(_ owner: Namespace.Owner, into output: inout OutputSpan<UInt8>) {
    switch owner {
    case usualOwner: output.append("0")
    case .connection(let number):
      output.append("{\"connection\":")
      output.append(decimal: number)
      output.append("}")
    case .listener(0, let principals):
      output.append("{\"namespace\":")
      output.append(decimal: UInt64(principals))
      output.append("}")
    case .listener(let number, let principals):
      output.append("{\"listener\":")
      output.append(decimal: UInt64(number))
      if principals > 0 {
        output.append(",\"namespace\":")
        output.append(decimal: UInt64(principals))
      }
      output.append("}")
    }
  }

  private static func writeOrigin(_ origin: Int?, into output: inout OutputSpan<UInt8>) {
    guard let origin else { return }
    output.append(",")
    output.append(decimal: UInt64(origin))
  }

  private static func writeRefusal(
    _ reason: Refusal.Reason, _ effect: UpstreamEffect, into output: inout OutputSpan<UInt8>
  ) {
    switch reason {
    case .superseded(let generation):
      output.append(",\"superseded\",")
      output.append(decimal: generation)
      output.append(",\"")
    case .contentModified: output.append(",\"superseded\",null,\"")
    case .cancelled: output.append(",\"cancelled\",null,\"")
    case .deadlineExceeded: output.append(",\"expired\",null,\"")
    case .upstreamUnavailable, .badAnswer, .unread: output.append(",\"failed\",null,\"")
    case .shuttingDown: output.append(",\"shuttingDown\",null,\"")
    }
    output.append(effect.name)
    output.append("\"")
  }

  private static func writeKey(
    _ event: TaskEvent, _ text: Span<UInt8>, into output: inout OutputSpan<UInt8>
  ) {
    output.append(",")
    guard !event.key.isEmpty else { return output.append("null") }
    output.append(jsonString: text.extracting(event.key))
  }
}
