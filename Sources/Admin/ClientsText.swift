import Gateway
import GatewayCore
import JSONRPC

/// The texts of `/principals` and `/connections`: the largest users at the moment, as JSON.
enum ClientsText {
  static let limitPrincipals = 1_000
  static let limitConnections = 1_000

  /// Principals with the most tasks first; equals in the order in which they came to be known.
  static func of(_ principals: [PrincipalView]) -> [UInt8] {
    let sorted = principals.enumerated().sorted {
      ($1.element.tasks, $0.offset) < ($0.element.tasks, $1.offset)
    }
    var json = JSONBuilder()
    json.object { json in
      json.member("total", principals.count)
      json.array("principals", sorted.prefix(limitPrincipals).map(\.element)) { json, principal in
        json.member("principal", principal.name)
        json.member("connections", principal.connections)
        json.member("tasks", principal.tasks)
        json.member("callers", principal.callers)
        json.member("requestBytes", principal.requestBytes)
        json.members(principal.tally)
      }
    }
    return json.bytes
  }

  static func of(_ connections: [ConnectionView]) -> [UInt8] {
    var json = JSONBuilder()
    json.object { json in
      json.array("connections", connections) { json, connection in
        json.member("connection", connection.number)
        if let address = connection.address { json.member("address", address) }
        if let way = connection.way { json.member("transport", way.name(hasHeads: connection.hasHeads)) }
        if let principal = connection.principal { json.member("principal", principal) }
        json.member("requests", connection.requests)
        json.member("tasks", connection.tasks)
        json.member("requestBytes", connection.requestBytes)
        json.member("heldBytes", connection.heldBytes)
      }
    }
    return json.bytes
  }
}

extension JSONBuilder {
  /// Adds the counts of a principal.
  mutating func members(_ tally: PrincipalTally) {
    member("requests", tally.requests)
    member("superseded", tally.superseded)
    member("cancelled", tally.cancelled)
    member("refused", tally.refused)
  }
}
