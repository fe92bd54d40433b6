import Fleet
import GatewayCore

/// Requests that are undone if they succeed though nobody wants them any more, wherever their key is: once, by the member
/// that had them done, and before anything else is done for their key.
extension FleetScene {
  /// All of these have one key, and one method.
  static let undoableKey = "undoable"
  private static let undoableMethod = "u"
  private static let undoingMethod = "undo"
  /// Of which each waits for what may have to be undone.
  private static let undoablePolicies = ["cancel", "cancelAndWait", "wait", "keepLatest"]
  /// What the upstream says of some.
  static let failure = #""error":{"code":2,"message":"it failed"}"#
  /// So long the answer to an undoing is waited for.
  static let undoingMilliseconds: UInt64 = 2_000

  /// What the upstream knows of a request that may have to be undone.
  struct Undoable {
    /// When it came, if it did not come much later than it was written.
    var arrivedAt: Int64?
    var hasSucceeded = false
    /// Its owner says that it has been superseded or taken back.
    var isUnwanted = false
    /// A client has its result.
    var isDelivered = false
    /// When its undoing was written.
    var undoneAt: Int64?
    var isBeingUndone = false
  }

  static var undoableRoute: Route { Route(method: undoableMethod, compensation: undoingMethod) }

  /// What a request asks for instead of something else.
  mutating func drawUndoable() -> (method: String, policy: String)? {
    undoing.oneIn(6) ? (Self.undoableMethod, undoing.pick(Self.undoablePolicies)) : nil
  }

  mutating func noteArrival(ofUndoable number: Int, _ written: Written) {
    guard asked[number].undoable != nil else { return }
    asked[number].undoable?.arrivedAt = now - written.at < Self.longestSlice ? now : nil
  }

  /// What the upstream answers to it.
  mutating func answer(toUndoable number: Int, isLost: Bool) -> String {
    let succeeds = !undoing.oneIn(6)
    asked[number].undoable?.hasSucceeded = succeeds && !isLost
    return succeeds ? #""result":[\#(number)]"# : Self.failure
  }

  // MARK: Undoing

  /// Hears a member's request to undo what the upstream did for another; returns whether the line is such a request.
  mutating func hearUndoing(_ written: Written, of member: Int) -> Bool {
    let line = written.line
    guard line.contains(#""method":"\#(Self.undoingMethod)""#) else { return false }
    guard let number = Int(line.digits(behind: #""params":["#)), asked.indices.contains(number),
      Int(line.digits(behind: #""result":["#)) == number, let undoable = asked[number].undoable
    else {
      complain("upstream is to undo what it never did: \(line)")
      return true
    }
    if !undoable.hasSucceeded { complain("request \(number) is undone, and has not succeeded") }
    if undoable.undoneAt != nil { complain("request \(number) is undone twice") }
    if undoable.isDelivered { complain("request \(number) was delivered and is undone") }
    if asked[number].owner != written.by { complain("request \(number) is undone by another member") }
    asked[number].undoable?.undoneAt = written.at
    let id = line.digits(behind: #""id":"#)
    guard !isUndoingRefused(of: number, line) else {
      refuse(number, id, to: member)
      return true
    }
    checkNothingCameBefore(undoing: number)
    undoneCount += 1
    asked[number].undoable?.isBeingUndone = true
    let time = undoing.pick([Int64(undoing.below(300)), Int64(undoing.below(300)), 5_000])
    members[member].undoing.append((id, number, now + time))
    return true
  }

  /// It has the fence of what it undoes.
  private mutating func isUndoingRefused(of number: Int, _ line: String) -> Bool {
    guard passesFences else {
      if line.contains("fence") { complain("an undoing has a fence that nobody asked for: \(line)") }
      return false
    }
    guard let fence = Fences.fence(in: line) else {
      complain("an undoing has no fence: \(line)")
      return false
    }
    if fence.generation != asked[number].generation || fence.partition != fences.partitions[asked[number].key]
    {
      complain("the undoing of request \(number) has another fence: \(line)")
    }
    return fences.isLate(fence) && control != .withoutFence
  }

  private mutating func checkNothingCameBefore(undoing number: Int) {
    guard let arrival = asked[number].arrival, control != .withoutFence else { return }
    let newer = asked.indices.first {
      asked[$0].key == asked[number].key && (asked[$0].arrival ?? 0) > arrival
    }
    if let newer { complain("request \(newer) came to upstream before \(number) was undone") }
  }

  mutating func upstreamUndoes() {
    for member in members.indices {
      while let place = members[member].undoing.firstIndex(where: { $0.until <= now }) {
        let (id, number, _) = members[member].undoing.remove(at: place)
        asked[number].undoable?.isBeingUndone = false
        guard members[member].state != .gone else { continue }
        members[member].unheard.append(#"{"jsonrpc":"2.0","id":\#(id),"result":null}"# + "\n")
      }
    }
  }

  // MARK: What must hold

  /// What still has to end, or to be undone, before another of its key is worked on.
  func holdsUp(undoable number: Int) -> Bool {
    guard let undoable = asked[number].undoable, undoable.arrivedAt != nil else { return false }
    guard let undoneAt = undoable.undoneAt else { return !asked[number].isDone }
    return undoable.isBeingUndone
      && now < undoneAt + least(Int64(Self.undoingMilliseconds)) - Self.longestSlice
  }

  mutating func noteReply(toUndoable number: Int, _ line: String) {
    guard let undoable = asked[number].undoable else { return }
    guard line.contains(#""error":"#) else {
      if undoable.undoneAt != nil { complain("request \(number) was undone and is delivered") }
      asked[number].undoable?.isDelivered = true
      return
    }
    asked[number].undoable?.isUnwanted = line.contains("-32080") || line.contains("-32800")
  }

  /// Work that an owner refused, and that succeeded all the same, has been undone if the owner still has the key.
  mutating func checkUndone() {
    for (number, asked) in asked.enumerated() {
      guard let undoable = asked.undoable, let arrivedAt = undoable.arrivedAt, undoable.isUnwanted,
        undoable.hasSucceeded, undoable.undoneAt == nil
      else { continue }
      let keeps = members.contains {
        $0.state == .running && $0.membership.id == asked.owner && $0.gaveAwayAt < arrivedAt
      }
      if keeps { complain("request \(number) succeeded, nobody wants that, and it was never undone") }
    }
  }
}
