import HotData
import JSONRPC
import TaskStore

/// A loop with clients in a fleet. Requests for a partition without an owner wait here. If another member does not
/// answer in time, or cannot any more, this loop answers.
extension GatewayCore {
  // MARK: Who has what

  /// A member has a partition from this epoch on.
  /// - Parameter place: its loop; -1: it is not known how to reach it.
  package mutating func partition(_ partition: Int, isAt place: Int, epoch: UInt32) {
    peers.keep(partition, at: place, epoch: epoch)
    goOn(with: partition)
  }

  /// A loop of another member can be reached from now on.
  package mutating func placeIsUp(_ place: Int) {
    peers.note(.up, of: place)
    goOnWithAll()
  }

  /// The same of a loop whose clients are to have mirrors here.
  /// - Parameter life: tells the life of its member from all others.
  package mutating func placeIsUp(_ place: Int, ofLife life: UInt64) {
    peers.note(life: life, of: place)
    placeIsUp(place)
  }

  /// It is connected, and does not answer: what it was asked may still be answered, and what is asked from now on waits.
  package mutating func placePauses(_ place: Int) { peers.note(.pausing, of: place) }

  /// A place is down, or is another process now: requests sent there may have been done, and nobody will hear of that.
  /// - Returns: the mirrors of its clients, which are gone: nothing is to be said of them.
  package mutating func placeIsDown(_ place: Int) -> [ClientID] {
    peers.note(.down, of: place)
    forgot(by: place)
    defer { goOnWithAll() }
    return removeMirrors(at: place)
  }

  /// A loop has forgotten all that it was asked from here, and can still be reached. Its answers to earlier calls no
  /// longer count.
  package mutating func placeHasForgotten(_ place: Int) {
    forgot(by: place)
    goOnWithAll()
  }

  /// Requests that wait for somebody to have their partition, or to be reached.
  package var parkedRequestCount: Int { peers.parkedCount }
  package var parkedByteCount: Int { peers.parkedByteCount }

  // MARK: Waiting

  /// Whether a client has as much waiting here as it may.
  func parksMuch(of client: Int) -> Bool {
    peers.parksMuch(of: client, within: configuration.fleet.parkedBytes)
  }

  /// A client is gone, and so are its notifications that wait here.
  mutating func forgetParked(of client: Int) {
    let count = peers.forgetParked(of: client)
    workBytes += count * Self.bytesPerEndedRequest
    edge.counters.notificationsLost &+= UInt64(count)
  }

  private mutating func goOnWithAll() {
    for partition in peers.partitions { goOn(with: partition) }
  }

  /// Sends what has waited for a partition, if that is possible now.
  mutating func goOn(with partition: Int) {
    for var queue in peers.takeParked(partition) {
      queue.seal()
      let bytes = queue.batch.bytes.span
      for (event, place) in zip(queue.batch.events, queue.places) {
        guard case .request(_, let envelope, _) = event else { continue }
        unpark(bytes, envelope, place, to: peers.place(ofPartition: partition))
      }
    }
  }

  private mutating func unpark(
    _ bytes: Span<UInt8>, _ envelope: Envelope, _ parked: RequestQueue.Place, to place: KeyPlace
  ) {
    let client = Int(parked.client)
    var name = parked.name
    var call: UInt64?
    if !envelope.isNotification {
      guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
        let waiter = peers.waiter(ofCall: number)
      else { return }
      call = number
      name = peers.call(of: waiter).name
      peers.unpark(waiter, to: place)
    } else if !peers.isThere(client, parked.serial) {
      return  // It was counted when its client went.
    }
    introduce(client, to: place.loop)
    takeBackSent(before: envelope, in: bytes, named: name, by: client)
    peers.ask(envelope, in: bytes, call: call, of: client, at: place)
  }

  // MARK: What members say

  /// A member does not take what it was asked: it has given the partition away, or is about to.
  /// - Parameter loop: that of the member.
  mutating func cameBack(
    _ bytes: Span<UInt8>, _ envelope: Envelope, of client: Int, _ serial: UInt64,
    about claim: PartitionClaim, from loop: Int
  ) {
    guard let partition = peers.refused(claim) else { return }
    var call: UInt64?
    if envelope.isNotification {
      guard peers.isThere(client, serial) else { return edge.counters.notificationsLost += 1 }
    } else {
      guard let number = JSONNumber.nonNegativeInteger(envelope.id, in: bytes),
        let waiter = peers.waiter(ofCall: number),
        peers.isAsked(waiter, about: partition, at: loop)
      else { return }
      guard !peers.call(of: waiter).isTakenBack else { return refuse(waiter, .cancelled, isSent: false) }
      call = number
      peers.park(waiter)
    }
    peers.park(
      envelope, in: bytes, call, of: client, at: KeyPlace(loop: -1, partition: partition), isBack: true)
    goOn(with: partition)
  }

  /// A loop has forgotten all that it was asked from here.
  private mutating func forgot(by place: Int) {
    let waiters = peers.waiters(at: place)
    // First: what had to wait for these may then be sent there.
    peers.forgetMirrors(at: place)
    for waiter in waiters { giveUp(waiter, .upstreamUnavailable, isSent: true) }
  }

  // MARK: Time

  /// Sets the deadline of a caller here, for the member that was asked may be lost.
  /// - Parameter times: what it gets once something was said to it.
  @inline(__always)
  mutating func limit(_ waiter: WaiterID, to milliseconds: UInt32, _ times: RemoteTimes = RemoteTimes()) {
    if peers.loop.isInFleet, milliseconds < Admission.unlimited {
      limitInFleet(waiter, to: milliseconds, times)
    }
  }

  @inline(never)
  private mutating func limitInFleet(_ waiter: WaiterID, to milliseconds: UInt32, _ times: RemoteTimes) {
    peers.limit(waiter, toMilliseconds: UInt64(milliseconds), now: nowMilliseconds)
    var times = times
    times.untilMilliseconds = nowMilliseconds + UInt64(milliseconds)
    peers.note(times, of: waiter)
  }

  mutating func expireRemoteCalls() {
    while peers.dueMilliseconds <= nowMilliseconds, mayFire(),
      let waiter = peers.takeOverdue(now: nowMilliseconds)
    {
      let call = peers.call(of: waiter)
      if call.gathering == 0, !call.isParked {
        peers.takeBack(waiter)
      }
      giveUp(waiter, .deadlineExceeded, isSent: !call.isParked)
    }
  }

  /// Nobody of this loop waits for others any longer: it stops.
  mutating func endRemoteCalls() {
    // What waits here first: as others end it might be sent.
    for isParked in [true, false] {
      for waiter in peers.openWaiters(areParked: isParked) where peers.isOpen(waiter) {
        let call = peers.call(of: waiter)
        if !isParked, !call.isOwn {
          peers.takeBack(waiter)
        }
        giveUp(waiter, .shuttingDown, isSent: !isParked)
      }
    }
  }

  // MARK: Answering here

  /// Nobody will answer any more: what is put together need not wait for it.
  private mutating func giveUp(_ waiter: WaiterID, _ reason: Refusal.Reason, isSent: Bool) {
    if let gathering = peers.gathering(of: waiter) {
      return losePart(waiter, reason, isSent: isSent, for: gathering)
    }
    refuse(waiter, reason, isSent: isSent)
  }

  /// A caller of what another loop has, or was to have, is answered here.
  mutating func refuse(_ waiter: WaiterID, _ reason: Refusal.Reason, isSent: Bool) {
    let call = peers.call(of: waiter)
    // What is for the gateway itself counts nowhere.
    edge.refuseRemote(waiter, reason, isSent: isSent, pieces: call.pieces, isCounted: !call.isOwn)
    edge.forgetCaller(waiter)
    end(waiter, isCounted: !call.isOwn)
  }
}
