import HotData
import JSONRPC
import TaskStore

/// What `lastword.inspect` shows.
extension Lanes {
  func description(of keys: [TaskKey]) -> [UInt8] {
    let limit = GatewayConfiguration.inspectedTasks
    var summaries: [TaskSummary] = []
    var count = 0
    for key in keys {
      summaries += store.newestTasks(in: key, limit: limit)
      count += store.taskCount(in: key)
    }
    if keys.count > 1 { summaries.sort { $0.generation > $1.generation } }
    let tasks = summaries.prefix(limit).map { summary in
      var text: [UInt8] = []
      append(summary, to: &text)
      return text
    }
    return Self.description(count: count, tasks: tasks[...])
  }

  /// - Parameter tasks: the object of each.
  static func description(count: Int, tasks: ArraySlice<[UInt8]>) -> [UInt8] {
    var result = Array("{\"count\":".utf8)
    result.append(decimal: UInt64(count))
    result.append(contentsOf: ",\"tasks\":[".utf8)
    result.append(contentsOf: tasks.joined(separator: [UInt8(ascii: ",")]))
    result.append(contentsOf: "]}".utf8)
    return result
  }

  private func append(_ summary: TaskSummary, to result: inout [UInt8]) {
    let request = requests[summary.task.slot]
    result.append(contentsOf: "{\"generation\":\(summary.generation),\"state\":\"\(summary.state)\"".utf8)
    result.append(contentsOf: ",\"policy\":\"\(summary.policy.wireName)\",\"method\":".utf8)
    payloads.copyFirst(of: summary.task.slot, dividedAt: request.methodBytes, into: &result)
    result.append(contentsOf: ",\"callers\":\(summary.waiterCount)".utf8)
    let pieces = pieceCount(of: summary.task)
    if pieces > 0 { result.append(contentsOf: ",\"pieces\":\(pieces)".utf8) }
    result.append(contentsOf: ",\"ageMs\":\(request.admitted.age(at: nowMilliseconds))}".utf8)
  }
}
