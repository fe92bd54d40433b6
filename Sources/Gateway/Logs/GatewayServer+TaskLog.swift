import GatewayCore
import Logging
import TaskStore

extension GatewayServer {
  /// A line for each task that was superseded, which explains it without any other.
  func log(_ journal: borrowing TaskJournal) {
    for index in journal.events.indices { log(journal.events[index], journal.text) }
    if journal.leftOutCount > 0 {
      let count = journal.leftOutCount
      log.debug("more happened than is logged", metadata: ["events": .stringConvertible(count)])
    }
  }

  private func log(_ event: TaskEvent, _ text: [UInt8]) {
    guard case .refused(.superseded(let newer), let policy, let effect, _) = event.kind else { return }
    SupersessionLine.log(
      SupersessionLine(
        key: KeyHash(text.span.extracting(event.key), namespace: event.namespace?.number ?? 0),
        generation: event.generation, supersededBy: newer, policy: policy, effect,
        ageMilliseconds: event.ageMilliseconds,
        // Without the quotes of the JSON string that it is.
        method: text[event.method].dropFirst().dropLast(), client: event.client),
      to: log)
  }
}
