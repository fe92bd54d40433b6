import Client
import JSONRPC

extension LoadUpstream {
  /// More cancels than this are not told at once.
  private static let cancelsPerMessage = 512
  private static let watcherLimit = 64

  func watch(_ run: UInt64, _ id: UInt64, on connection: ClientConnection) {
    if watchers.count < Self.watcherLimit { watchers.append((connection.token, run)) }
    UpstreamWriter.nothing(id, into: &connection.output)
    connection.sendSoon()
  }

  func report(_ run: UInt64, _ id: UInt64, on connection: ClientConnection) {
    UpstreamWriter.work(runs[index(ofRun: run)].ledger, id, into: &connection.output)
    connection.sendSoon()
  }

  func tellWatchers(_ index: Int) {
    let cancels = runs[index].ledger.untoldCancels
    runs[index].ledger.untoldCancels.removeAll(keepingCapacity: true)
    for watcher in watchers where watcher.run == runs[index].number {
      guard let connection = conversations[watcher.conversation] else { continue }
      for start in stride(from: 0, to: cancels.count, by: Self.cancelsPerMessage) {
        let end = min(start + Self.cancelsPerMessage, cancels.count)
        UpstreamWriter.cancels(cancels[start..<end], into: &connection.output)
      }
      connection.sendSoon()
    }
  }
}
