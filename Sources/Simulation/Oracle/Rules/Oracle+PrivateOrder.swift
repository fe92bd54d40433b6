import GatewayCore
import TaskStore

/// Messages to an upstream of a client's own keep their order: a request is sent before a notification that came after
/// it, or not at all.
extension Oracle {
  /// Requests that are still held back may end now; what is in their lanes may then start.
  mutating func noteOutdated(by number: Int) {
    let record = records[number]
    let upstream = record.terms.upstream
    guard upstreams[upstream].isPrivate, outdates(record.request), !isDraining else { return }
    upstreams[upstream].lastNotification = event
    if !record.mayBeOverloaded && !clients[record.client].isLeaving {
      upstreams[upstream].lastSureNotification = event
    }
    for other in clients[record.client].requests where records[other].isOwed {
      let task = records[other].task
      guard records[other].terms.upstream == upstream || task >= 0 && tasks[task].upstream == upstream else {
        continue
      }
      records[other].mayBeOutdated = true
      noteMayHaveLeft(task)
    }
  }

  /// Notifications that change nothing have a name that begins with `$/`.
  private func outdates(_ request: Request) -> Bool { !Spelling.asks[Int(request.form)].stem.hasPrefix("$/") }

  /// The only message at hand was this notification: nothing that came before it is held back any more.
  mutating func checkOutdated(by number: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let upstream = records[number].terms.upstream
    guard records[number].request.isNotification, upstreams[upstream].isPrivate,
      upstreams[upstream].lastSureNotification == records[number].handled
    else { return }
    for other in self.clients[records[number].client].requests where records[other].isOwed {
      guard records[other].isClear, records[other].terms.upstream == upstream,
        let open = openRequest(other, &core, clients), open.state == .queued
      else { continue }
      complain("request \(other) is held back behind notification \(number)")
    }
  }

  /// Whether a notification may have come after this task was admitted, or surely has.
  func mayBeOutdated(_ task: Int) -> Bool {
    tasks[task].admitted < upstreams[tasks[task].upstream].lastNotification
  }

  func isSurelyOutdated(_ task: Int) -> Bool {
    tasks[task].creator != 0 && tasks[task].admitted < upstreams[tasks[task].upstream].lastSureNotification
  }

  /// Whether it surely was when a request came, which may be looked at only behind later ones.
  func wasSurelyOutdated(_ task: Int, for number: Int) -> Bool {
    isSurelyOutdated(task)
      && upstreams[tasks[task].upstream].lastSureNotification < records[number].handled
  }

  // MARK: What upstream sees

  mutating func checkOrder(ofCall number: Int, at upstream: Int) {
    guard upstreams[upstream].isPrivate, records[number].isClear else { return }
    let came = records[number].handled
    expect(
      came > upstreams[upstream].newestSeenNotification,
      "request \(number) was sent behind a notification that came after it")
    upstreams[upstream].newestSeenCall = max(upstreams[upstream].newestSeenCall, came)
  }

  mutating func checkOrder(ofNotification number: Int, at upstream: Int) {
    guard upstreams[upstream].isPrivate else { return }
    let came = records[number].handled
    expect(
      came > upstreams[upstream].newestSeenCall,
      "notification \(number) was sent behind a request that came after it")
    if outdates(records[number].request) { upstreams[upstream].newestSeenNotification = came }
  }
}
