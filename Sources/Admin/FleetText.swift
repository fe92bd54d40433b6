import Gateway
import JSONRPC

/// The text of `/fleet`: the members, and this one's links with them.
enum FleetText {
  static func json(_ status: FleetStatus) -> [UInt8] {
    var json = JSONBuilder()
    json.object { json in
      json.member("fleet", status.fleet)
      json.member("standing", status.standing)
      // Why no requests should be sent to it; empty: they should.
      json.member("notReady", status.reason ?? "")
      json.member("actsMs", status.actsMilliseconds)
      json.member("partitions", status.partitions)
      json.member("unowned", status.unownedPartitions)
      json.member("epoch", status.highestEpoch)
      json.member("links", status.links)
      json.member("linksUp", status.linksUp)
      json.member("asking", status.askingLoops)
      json.member("differing", status.differingLoops)
      json.member("forwarded", status.forwardedRequests)
      json.member("parkedRequests", status.parkedRequests)
      json.member("parkedBytes", status.parkedBytes)
      json.member("declaredDead", status.declaredDead)
      json.array("members", status.members) { json, member in
        json.member("member", member.id)
        json.member("address", member.address)
        json.member("partitions", member.partitions)
        json.member("leaving", member.isLeaving ? 1 : 0)
        json.member("self", member.isSelf ? 1 : 0)
      }
    }
    return json.bytes
  }

  /// The text for people.
  static func lines(_ status: FleetStatus) -> String {
    var lines = [
      "fleet \(status.fleet): this one is \(status.standing)\(status.reason == nil ? "" : ", not ready")"
    ]
    for member in status.members {
      lines.append(
        "\(member.id)  \(member.address)  \(member.partitions) partitions"
          + (member.isLeaving ? "  leaving" : "") + (member.isSelf ? "  (this one)" : ""))
    }
    if status.unownedPartitions > 0 { lines.append("nobody has \(status.unownedPartitions) partitions") }
    lines.append("highest epoch \(status.highestEpoch), declared dead \(status.declaredDead) times")
    lines.append(
      "connections to other members \(status.linksUp) of \(status.links), from their loops \(status.askingLoops)"
    )
    if status.differingLoops > 0 {
      lines.append("\(status.differingLoops) of those had other routes, upstreams, listeners or principals")
    }
    lines.append("\(status.forwardedRequests) requests passed on to other members")
    lines.append("\(status.parkedRequests) requests wait, \(status.parkedBytes) bytes")
    return lines.joined(separator: "\n") + "\n"
  }
}
