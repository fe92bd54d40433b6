import GatewayCore
import JSONRPC
import TaskStore

/// The text of `/keys`: the lanes with the most tasks, and the newest tasks of each, as JSON.
enum KeysText {
  static let limitLanes = 100
  static let limitTasks = 16

  /// - Parameter total: how many lanes there are.
  static func of(_ lanes: [LaneView], total: Int) -> [UInt8] {
    var json = JSONBuilder()
    json.object { json in
      json.member("total", total)
      json.array("lanes", lanes) { json, lane in
        json.member("key", lane.key)
        switch lane.namespace.owner {
        case .connection(let number):
          json.member("scope", "connection")
          json.member("connection", number)
        case .listener(let number, let principals):
          json.member("scope", "shared")
          json.member("listener", number)
          json.member("namespace", principals)
        }
        for (state, count) in lane.counts.states { json.member(state, count) }
        json.array("tasks", lane.tasks) { json, task in
          json.member("generation", task.generation)
          json.member("state", "\(task.state)")
          json.member("policy", task.policy.name)
          json.member("waiters", task.waiterCount)
        }
      }
    }
    return json.bytes
  }
}
