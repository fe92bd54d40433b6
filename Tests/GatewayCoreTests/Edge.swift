import GatewayCore
import JSONRPC
import Testing

/// A bound on what one message holds: the most that is served, and the least that is refused.
struct Edge: Sendable, CustomTestStringConvertible {
  let name: String
  let most: String
  let over: String
  let code: Int
  /// What the refusal says.
  let words: String
  let set: @Sendable (inout GatewayConfiguration) -> Void

  var testDescription: String { name }

  static let all = [
    Edge(
      name: "a message", most: padded(to: 100), over: padded(to: 101), code: -32086, words: "too large"
    ) { $0.messageLimitBytes = 100 },
    Edge(
      name: "nesting", most: line("1", params: "[[[]]]"), over: line("1", params: "[[[[]]]]"), code: -32700,
      words: "parse error"
    ) { $0.scan.nestingLevels = 4 },
    Edge(
      name: "the items of a batch", most: batch(of: 3), over: batch(of: 4), code: -32600,
      words: "more than 3 items"
    ) { $0.batchItems = 3 },
    Edge(
      name: "an id", most: line("\"12345678901234\""), over: line("12345678901234567"), code: -32600,
      words: "id is longer than 16 bytes"
    ) { $0.scan.idBytes = 16 },
    Edge(
      name: "a method", most: line("1", name(16)), over: line("1", name(17)), code: -32600,
      words: "method is longer than 16 bytes"
    ) { $0.scan.methodBytes = 16 },
    Edge(
      name: "a wrapped method", most: call(name(16)), over: call(name(17)), code: -32602,
      words: "method is longer than 16 bytes"
    ) { $0.scan.methodBytes = 16 },
    Edge(
      name: "a key", most: line("1", task: #"{"key":"\u00e9\#(name(14))"}"#),
      over: line("1", task: #"{"key":"é\#(name(15))"}"#), code: -32602,
      words: "task.key is longer than 16 bytes"
    ) { $0.keyBytes = 16 },
    Edge(
      name: "a group", most: line("1", task: #"{"group":"\#(name(16))"}"#),
      over: line("1", task: #"{"group":"\#(name(17))"}"#), code: -32602,
      words: "task.group is longer than 16 bytes"
    ) { $0.groupBytes = 16 },
    Edge(
      name: "a key that is cancelled", most: line("1", "lastword.cancel", params: #"{"key":"\#(name(16))"}"#),
      over: line("1", "lastword.cancel", params: #"{"key":"\#(name(17))"}"#), code: -32602,
      words: "key is longer than 16 bytes"
    ) { $0.keyBytes = 16 },
    Edge(
      name: "a group that is cancelled",
      most: line("1", "lastword.cancel", params: #"{"group":"\#(name(16))"}"#),
      over: line("1", "lastword.cancel", params: #"{"group":"\#(name(17))"}"#), code: -32602,
      words: "group is longer than 16 bytes"
    ) { $0.groupBytes = 16 },
  ]

  private static func name(_ byteCount: Int) -> String { String(repeating: "n", count: byteCount) }

  private static func padded(to byteCount: Int) -> String {
    let request = line("1").dropLast()
    return request + String(repeating: " ", count: byteCount - request.utf8.count) + "\n"
  }

  private static func batch(of count: Int) -> String {
    "[" + (1...count).map { String(line("\($0)").dropLast()) }.joined(separator: ",") + "]\n"
  }

  private static func call(_ method: String) -> String {
    line("1", "lastword.call", params: #"{"method":"\#(method)"}"#)
  }
}
