import HotData
import JSONRPC

/// The mirrors of other loops' clients.
extension Peers {
  func mirror(of client: Int32, at loop: Int) -> Int? {
    let slot = mirrors[loop][Int(client)]
    return slot < 0 ? nil : slot
  }

  /// All of one loop's clients, by the slots that they have there.
  func mirrors(at loop: Int) -> [(client: Int32, mirror: Int)] { mirrors[loop].all }

  /// A request is not for this member, or no more.
  mutating func giveBack(
    _ envelope: Envelope, in bytes: Span<UInt8>, to mirror: MirrorName, about claim: PartitionClaim
  ) {
    batches[mirror.loop].addMoved(
      envelope, in: bytes, from: Int32(truncatingIfNeeded: mirror.slot), serial: mirror.serial, about: claim)
  }

  /// The loop of a mirror's client, if an answer may go there as it is, before what mirrors are written in this turn: it
  /// is of this process, and keeps up.
  @inline(__always)
  func loopThatTakesAnswers(of mirror: Int) -> Int? {
    guard !hasWrittenEarly, names.indices.contains(mirror), let place = names[mirror]?.loop,
      place < loop.count, !behind[place], batches[place].byteCount < Self.mostAnswerBytes
    else { return nil }
    return place
  }

  /// Mirrors may be written before the turn's end.
  mutating func noteEarlyWrite() { hasWrittenEarly = true }
  /// All that mirrors were written is sent.
  mutating func endTurn() { hasWrittenEarly = false }

  /// A longer answer is written to its mirror, which waits if there is no room.
  private static let mostAnswerBytes = 1024 * 1024

  mutating func answer(_ answer: AnswerBody, in bytes: Span<UInt8>, toCall call: UInt64, at loop: Int) {
    batches[loop].addAnswer(answer, in: bytes, toCall: call)
  }

  /// Another member's loop, whose clients are to have mirrors here, can be reached.
  mutating func note(life: UInt64, of place: Int) { memberLives.note(life, at: place) }

  /// A client's number here. That of another member's client is never like ours, or like a third member's, and always the
  /// same.
  func connectionNumber(of client: RemoteClient, at place: Int) -> UInt64 {
    guard place >= loop.count else { return client.number }
    return memberLives.connection(client.number, at: place)
  }

  /// A mirror stands for a client from now on.
  mutating func open(_ mirror: Int, for client: RemoteClient, at loop: Int) {
    mirrors[loop][client.slot] = mirror
    let name = MirrorName(loop: loop, slot: client.slot, serial: client.serial, framing: client.framing)
    names.reach(mirror)
    names[mirror] = name
    mirrorCount += 1
    newMirrors.append(NewMirror(mirror: ClientID(slot: mirror), name: name, client: client))
  }

  /// A client names no mirror any more: what comes of it under this slot is another's.
  mutating func part(_ client: Int32, at loop: Int) { mirrors[loop][Int(client)] = -1 }

  /// It has ended, and another client gets its slot: what waits of it still finds it.
  mutating func keepEnded(_ mirror: Int) {
    if let name = names[mirror] { endedMirrors[RequestQueue.Asker(name)] = mirror }
  }

  /// Those of a loop's clients.
  func mirrorsThatEnded(at loop: Int) -> [Int] {
    endedMirrors.isEmpty ? [] : endedMirrors.filter { $0.key.loop == loop }.values.sorted()
  }

  /// Something that a mirror's client has asked waits for its partition.
  mutating func noteWaits(_ mirror: Int) { mirrorsHeldUp.insert(mirror) }
  /// Whether something of it may wait; from now on nothing does.
  mutating func takeWaits(_ mirror: Int) -> Bool { mirrorsHeldUp.remove(mirror) != nil }

  /// A mirror is no more.
  mutating func remove(_ mirror: Int) {
    guard names.indices.contains(mirror), let name = names[mirror] else { return }
    names[mirror] = nil
    mirrorsHeldUp.remove(mirror)
    if !endedMirrors.isEmpty { endedMirrors[RequestQueue.Asker(name)] = nil }
    mirrorCount -= 1
    if mirrors[name.loop][name.slot] == mirror { mirrors[name.loop][name.slot] = -1 }
    newMirrors.removeAll { $0.mirror.slot == mirror }
  }

  /// There is no mirror of it: what it asks is refused, or, where its loop knows no more than this one, it has to go.
  /// - Parameters:
  ///   - isNew: it has just been told of.
  ///   - isFull: there is no room for its principal.
  mutating func refuse(_ client: RemoteClient, of loop: Int, isNew: Bool, isFull: Bool) {
    if isNew, !isFull { strangersSoFar += 1 }
    let slot = Int32(truncatingIfNeeded: client.slot)
    if self.loop.isInFleet || isFull, (strangers[loop]?.count ?? 0) < Self.mostStrangers {
      strangers[loop, default: [:]][slot] = client
    } else if !self.loop.isInFleet {
      add(.closed(client: slot, serial: client.serial), for: loop)
    }
  }

  /// Of one loop; more have to connect anew once they are known.
  private static let mostStrangers = 4_096

  var strangerCount: UInt64 { strangersSoFar }

  /// A client that has no mirror asks something, or is gone: it is looked at again, or forgotten.
  mutating func takeStranger(_ client: Int32, at loop: Int) -> RemoteClient? {
    strangers[loop]?.removeValue(forKey: client)
  }

  func stranger(_ client: Int32, at loop: Int) -> RemoteClient? { strangers[loop]?[client] }

  mutating func forgetStrangers(at loop: Int) { strangers[loop] = nil }

  /// Answers a request of a client without a mirror: it has not been sent anywhere.
  mutating func answer(_ id: RequestID, _ error: RPCError, toClient client: Int32, at loop: Int) {
    batches[loop].addAnswer(toClient: client) {
      let notSent: StaticString = "{\"upstream\":\"notSent\"}"
      MessageWriter.error(id, error, data: notSent, into: &$0)
    }
  }

  mutating func takeNewMirrors() -> [NewMirror] {
    defer { newMirrors = [] }
    return newMirrors
  }
}
