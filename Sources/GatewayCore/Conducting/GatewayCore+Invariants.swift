package import JSONRPC
import TaskStore

extension GatewayCore {
  /// What must hold whenever no event is being worked on, as far as it can be told at once; checked in releases too.
  @inline(__always)
  func checkInvariants() {
    precondition(edge.unansweredCount == UInt64(lanes.waiterCount), "a request was lost, or answered twice")
    precondition(
      lanes.taskCount > 0 || lanes.isEmptyHanded && (edge.groupCount == 0 || lanes.waiterCount > 0),
      "something outlived the last task")
  }

  /// The tables that are not empty, by name: none when nothing is in flight and nobody is connected.
  package var leftovers: [String] {
    var names: [String] = []
    func note(_ name: String, _ count: Int) { if count > 0 { names.append("\(count) \(name)") } }
    lanes.noteLeftovers(note)
    edge.noteLeftovers(note)
    upstreams.noteLeftovers(note)
    note("accounts of nobody", lanes.accountCount - clientCount)
    return names
  }

  /// Whether so much has come of a message that it should have been checked meanwhile, and was not.
  package var leavesPartsUnchecked: Bool {
    let most = max(configuration.checkedPartBytes, 4)
    return edge.leavesUnchecked(most) || upstreams.leavesUnchecked(most)
  }

  /// The newest open request of a client with the id at `id`, a JSON value in `bytes`.
  package mutating func openRequest(
    _ id: ByteRange, in bytes: Span<UInt8>, of client: ClientID
  ) -> OpenRequest? {
    guard edge.isThere(client.slot), let waiter = edge.newest(withID: id, in: bytes, of: client.slot) else {
      return nil
    }
    let task = lanes.task(of: waiter)
    return OpenRequest(task: task, generation: lanes.generation(of: task), state: lanes.state(of: task))
  }
}
