import Foundation
import HotData
import Identity
import JSONRPC
import TaskStore
import Testing

@testable import GatewayCore

/// What waits for other members of a fleet, at the loop that has the clients and at the one that has the partitions, and
/// what becomes of it when nobody wants it any more.
@Suite struct WaitingForMembersTests {
  /// Of the key `k`.
  private let partition = 2
  /// The first id of the second of two loops.
  private let id: UInt64 = 1 << 30 + 1
  private static let next = UInt32(MemberBench.epoch + 1)

  private func heard(_ member: inout MemberBench) -> [String] {
    member.edge.flush(into: &member.edgeSink)
    let bytes = member.edgeSink.toClients.removeValue(forKey: member.client.slot) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func request(_ id: Int, _ policy: String = "cancel", more: String = "") -> String {
    line("\(id)", task: #"{"key":"k","policy":"\#(policy)"\#(more)}"#)
  }

  // MARK: A member that stops

  @Test func `whoever waits when a member stops is answered, and what was sent is taken back`() {
    var member = MemberBench()
    #expect(member.asks(line("1", task: #"{"key":"k","group":"g"}"#)).count == 1)
    member.says(#"{"jsonrpc":"2.0","id":2,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n")
    member.says(#"{"jsonrpc":"2.0","id":3,"method":"lastword.cancel","params":{"group":"g"}}"# + "\n")
    // Nobody is known to have it.
    member.edge.partition(partition, isAt: -1, epoch: Self.next)
    member.says(request(4))
    _ = member.mail()
    #expect(heard(&member).isEmpty)
    member.edge.drain()
    member.edge.shutDown()
    let replies = heard(&member)
    func reply(_ id: Int) -> String { replies.first { $0.contains("\"id\":\(id),") } ?? "none" }
    #expect(replies.count == 4)
    #expect(reply(1).contains("-32085") && reply(1).contains("mayHaveCompleted"))
    #expect(reply(2).contains("-32085") && reply(2).contains("mayHaveCompleted"))
    #expect(reply(3).contains("-32085") && reply(3).contains("mayHaveCompleted"))
    #expect(reply(4).contains("-32085") && reply(4).contains("notSent"))
    let told = member.edge.takeBatch(for: 1)?.summary ?? ""
    #expect(told.hasPrefix("cancel "), "\(told)")
    let (waiting, parked) = (member.edge.remoteRequestCount, member.edge.parkedByteCount)
    #expect(waiting == 0 && parked == 0)
  }

  @Test func `what waited for those that a loop has forgotten is sent there`() {
    var member = MemberBench()
    #expect(member.asks(request(1)).count == 1)
    // The member has its partitions anew, under another name.
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    member.says(request(2))
    let before = member.mail()?.summary ?? ""
    #expect(!before.contains("request"))
    member.edge.placeHasForgotten(1)
    let told = member.mail()?.summary ?? ""
    #expect(told.hasPrefix("opened ") && told.contains("request "), "\(told)")
  }

  // MARK: At the owner

  /// A member that has had its partition so short a time that what must be alone waits.
  private func takenOver() -> MemberBench {
    var member = MemberBench { $0.fleet.takeoverMilliseconds = 60_000 }
    member.owner.core.gained(partition, epoch: Self.next, isExclusive: false)
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    return member
  }

  @Test func `what was taken back holds up nothing of its key`() {
    var member = takenOver()
    // Some of these keys are of the same partition, and wait, too.
    let others = (1...32).map { line("\(100 + $0)", task: #"{"key":"other\#($0)","policy":"wait"}"#) }
    #expect((1...28).contains(member.asks(others.joined()).count))
    #expect(member.asks(request(1, "wait") + request(2, "wait")).isEmpty)
    let cancel = #"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":1}}"# + "\n"
    _ = member.asks(cancel)
    // The second still waits.
    #expect(member.asks(request(3)).isEmpty)
    _ = member.asks(cancel.replacing("\"id\":1", with: "\"id\":2"))
    _ = member.asks(cancel.replacing("\"id\":1", with: "\"id\":3"))
    #expect(member.asks(request(4)).count == 1)
  }

  @Test func `what waited behind what was taken back need not wait for the takeover to be over`() {
    var member = takenOver()
    #expect(member.asks(request(1, "wait") + request(2, "wait") + request(3) + request(4)).isEmpty)
    #expect(member.asks(request(5, "wait") + request(6)).isEmpty)
    func takeBack(_ id: Int) -> [String] {
      let cancel = #"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":\#(id)}}"# + "\n"
      var heard = member.asks(cancel)
      let due = member.owner.core.dueMilliseconds
      if due <= member.owner.core.nowMilliseconds + 1 { member.owner.timePasses(1) }
      heard += member.asked()
      return heard
    }
    // Others are before them still, and then none is but what must be alone itself.
    #expect(takeBack(1).isEmpty)
    let started = takeBack(2)
    #expect(started.count { $0.contains(#""method":"m""#) } == 2, "\(started)")
    #expect(started.count { $0.contains("cancelRequest") } == 1)
    #expect(takeBack(5).count { $0.contains(#""method":"m""#) } == 1)
  }

  @Test func `nor behind what is of a client that is gone`() {
    var member = takenOver()
    #expect(member.asks(request(1, "wait")).isEmpty)
    let other = member.edge.clientConnected(listener: 0)!
    let bytes = Array(request(2).utf8)
    member.edge.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: other)
    #expect(member.passes().isEmpty)
    member.edge.clientDisconnected(member.client)
    #expect(member.passes().isEmpty)
    member.owner.timePasses(1)
    #expect(member.asked().count == 1)
  }

  @Test func `of a client that is gone nothing waits`() {
    var member = takenOver()
    #expect(member.asks(request(1, "wait")).isEmpty)
    #expect(member.owner.core.leftovers.contains { $0.contains("came too early") })
    member.edge.clientDisconnected(member.client)
    if let batch = member.mail() { member.owner.core.heardAll(of: batch, from: 0) }
    _ = member.asked()
    #expect(!member.owner.core.leftovers.contains { $0.contains("came too early") })
  }

  @Test func `nor of one whose loop is`() {
    var member = takenOver()
    #expect(member.asks(request(1, "wait")).isEmpty)
    _ = member.owner.core.placeIsDown(0)
    #expect(!member.owner.core.leftovers.contains { $0.contains("came too early") })
  }

  @Test(arguments: [0, 1, 2])
  func `notifications that waited are counted as lost, each once`(end: Int) {
    var member = takenOver()
    let notification = #"{"jsonrpc":"2.0","method":"n","task":{"key":"k","policy":"wait"}}"# + "\n"
    #expect(member.asks(request(1, "wait") + notification + request(2, "wait") + notification).isEmpty)
    switch end {
    case 0: _ = member.owner.core.placeIsDown(0)
    case 1: _ = member.owner.core.forgetAll()
    default:
      member.edge.clientDisconnected(member.client)
      _ = member.passes()
    }
    #expect(member.owner.core.counters.notificationsLost == 2)
    #expect(!member.owner.core.leftovers.contains { $0.contains("came too early") })
  }

  private static let notification =
    #"{"jsonrpc":"2.0","method":"n","task":{"key":"k","policy":"wait"}}"# + "\n"

  /// A client sends a notification that waits at the owner, and no more; another one gets its slot. Returns that one.
  private func endsInOrder(_ member: inout MemberBench) -> ClientID {
    #expect(member.asks(Self.notification).isEmpty)
    member.edge.clientEnded(member.client)
    #expect(member.passes().isEmpty)
    #expect(member.edgeSink.closed == [member.client.slot])
    let other = member.edge.clientConnected(listener: 0)!
    #expect(other.slot == member.client.slot)
    return other
  }

  private func says(_ text: String, _ client: ClientID, to member: inout MemberBench) -> [String] {
    let bytes = Array(text.utf8)
    member.edge.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: client)
    return member.passes()
  }

  @Test func `a notification that waits is sent though its client has ended in order meanwhile`() {
    var member = takenOver()
    let other = endsInOrder(&member)
    #expect(says(request(2, "wait"), other, to: &member).isEmpty)
    #expect(member.owner.core.connectionViews.count == 2)
    member.owner.timePasses(60_000)
    let heard = member.asked() + member.asked()
    #expect(heard.count == 2 && heard[0].contains(#""method":"n""#), "\(heard)")
    #expect(member.owner.core.counters.notificationsLost == 0)
    #expect(member.owner.core.connectionViews.count == 1, "the mirror of the first has gone")
  }

  @Test func `a mirror that stays for what waits goes once that is taken back`() {
    var member = takenOver()
    let other = endsInOrder(&member)
    let cancel = #"{"jsonrpc":"2.0","id":3,"method":"lastword.cancel","params":{"key":"k"}}"# + "\n"
    #expect(says(cancel, other, to: &member).isEmpty)
    #expect(member.owner.core.connectionViews.count == 1)
    #expect(!member.owner.core.leftovers.contains { $0.contains("came too early") })
  }

  @Test(arguments: [true, false])
  func `and once its loop is gone, whether or not another client has its slot`(isReused: Bool) {
    var member = takenOver()
    let other = endsInOrder(&member)
    if isReused { #expect(says(request(2, "wait"), other, to: &member).isEmpty) }
    _ = member.owner.core.placeIsDown(0)
    _ = member.asked()
    #expect(member.owner.core.connectionViews.isEmpty && member.owner.core.counters.notificationsLost == 1)
  }

  @Test func `what is left behind others that were taken back goes on in its order`() {
    var member = takenOver()
    for id in 1...9 { #expect(member.asks(request(id, "wait")).isEmpty) }
    for id in [1, 2, 4, 5, 6, 8, 9] {
      _ = member.asks(#"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":\#(id)}}"# + "\n")
    }
    member.owner.timePasses(60_000)
    #expect(member.asked().count == 1)
    member.answer(result("\(id)", "5") + "\n")
    #expect(member.asked().count == 1)
    #expect(heard(&member).filter { $0.contains("result") }.map { $0.contains(#""id":3,"#) } == [true])
  }

  @Test func `what names an epoch that is not known yet waits for news, and not for the clock`() {
    var member = MemberBench()
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    #expect(member.asks(request(1)).isEmpty)
    let (due, now) = (member.owner.core.dueMilliseconds, member.owner.core.nowMilliseconds)
    #expect(due > now)
    member.owner.core.gained(partition, epoch: Self.next, isExclusive: true)
    #expect(member.asked().count == 1)
  }

  @Test func `once a partition is exclusive that is so, too`() {
    var member = takenOver()
    member.owner.timePasses(60_000)
    member.edge.partition(partition, isAt: 1, epoch: Self.next + 1)
    #expect(member.asks(request(1)).isEmpty)
    member.owner.timePasses(1)
    let (due, now) = (member.owner.core.dueMilliseconds, member.owner.core.nowMilliseconds)
    #expect(due > now)
  }

  // MARK: At the loop with the clients

  @Test func `what nobody waits for any more takes no room of what waits`() {
    var member = MemberBench { $0.fleet.parkedBytes = 200_000 }
    member.edge.partition(partition, isAt: -1, epoch: Self.next)
    let long = String(repeating: "x", count: 9_000)
    func ask(_ id: Int, _ milliseconds: Int) -> String {
      let task = #"{"key":"k","policy":"wait","timeoutMs":\#(milliseconds)}"#
      return line("\(id)", params: "[\"\(long)\"]", task: task)
    }
    member.says(ask(100, 50_000))
    for round in 0..<5 {
      for id in 1...20 { member.says(ask(round * 20 + id, 1_000)) }
      let replies = heard(&member)
      #expect(replies.count == 10 && replies.allSatisfy { $0.contains("too much waits for the fleet") })
      member.edge.timeAdvanced(to: member.edge.nowMilliseconds + 1_000)
      #expect(heard(&member).count == 10)
      let (count, byteCount) = (member.edge.parkedRequestCount, member.edge.parkedByteCount)
      #expect(count == 1 && byteCount < 10_000)
    }
    member.says(ask(101, 50_000))
    #expect(heard(&member).isEmpty)
    member.owner.core.gained(partition, epoch: Self.next, isExclusive: true)
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    let told = member.mail()?.summary ?? ""
    #expect(told.components(separatedBy: "request ").count == 3, "\(told.count)")
    let (count, byteCount) = (member.edge.parkedRequestCount, member.edge.parkedByteCount)
    #expect(count == 0 && byteCount == 0)
  }

  // MARK: Time

  private func report(_ token: String) -> String {
    #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":1}}"#
  }

  private func timePasses(_ milliseconds: UInt64, of member: inout MemberBench) {
    member.owner.timePasses(milliseconds)
    member.edge.timeAdvanced(to: member.edge.nowMilliseconds + milliseconds)
  }

  @Test func `progress gives time again, up to the longest time`() {
    var member = MemberBench {
      $0.upstreams[0].passesProgress = true
      $0.timeoutMilliseconds = 1_000
      $0.longest.timeoutMilliseconds = 2_500
    }
    _ = member.asks(line("1", params: #"{"workDoneToken":5}"#, task: #"{"key":"k"}"#))
    for _ in 1...2 {
      timePasses(999, of: &member)
      member.answer(report("\"\(id)w\"") + "\n")
      #expect(heard(&member) == [report("5")])
    }
    timePasses(501, of: &member)
    #expect(heard(&member).isEmpty)
    timePasses(1, of: &member)
    #expect(heard(&member).map { $0.contains("-32083") } == [true])
  }

  @Test func `pieces do where the request says how much`() {
    var member = MemberBench {
      $0.timeoutMilliseconds = 1_000
      $0.longest.timeoutMilliseconds = 1_000
    }
    _ = member.asks(
      line("1", task: #"{"key":"k","stream":true,"timeoutMs":200,"pieceIdleMs":300}"#))
    _ = member.asks(line("2", task: #"{"key":"l","stream":true,"timeoutMs":200}"#))
    for number in 1...4 {
      timePasses(199, of: &member)
      let piece = #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":\#(number)}}"#
      member.answer(piece + "\n")
    }
    var replies = heard(&member)
    #expect(replies.count { $0.contains(#""params":{"id":1,"#) } == 4, "\(replies)")
    #expect(replies.count { $0.contains(#""id":2,"error":{"code":-32083"#) } == 1)
    timePasses(203, of: &member)
    #expect(heard(&member).isEmpty)
    timePasses(1, of: &member)
    replies = heard(&member)
    #expect(replies.map { $0.contains("-32083") && $0.contains(#""pieces":4"#) } == [true], "\(replies)")
  }

  // MARK: Members that differ

  @Test func `a client that only its own member knows is refused, and stays`() {
    var member = MemberBench(as: .stream, .user(1)) {
      var (listener, ada) = (ListenerOptions(), PrincipalOptions(name: "ada"))
      listener.asksWho = true
      ada.users = [1]
      $0.listeners = [listener]
      $0.principals = [ada]
    }
    var other = GatewayConfiguration()
    other.listeners = [ListenerOptions()]
    other.listeners[0].asksWho = true
    member.owner.core.reconfigure(other)
    for id in 1...2 {
      #expect(member.asks(line("\(id)", task: #"{"key":"k"}"#)).isEmpty)
      member.answer("")
      let reply = heard(&member)
      #expect(
        reply.count == 1 && reply[0].contains("\"id\":\(id),\"error\":{\"code\":-32084,")
          && reply[0].contains("does not know this client") && reply[0].contains("notSent"), "\(reply)")
    }
    // Nor is anything taken back there, and who wants that hears so.
    let cancel = #"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"id":3}}"# + "\n"
    #expect(member.asks(request(3) + cancel).isEmpty)
    member.answer("")
    #expect(heard(&member).map { $0.contains("-32084") } == [true, true])
    #expect(member.edgeSink.closed.isEmpty)
    let strangers = member.owner.core.strangerCount
    #expect(strangers == 1)
    // Once the other knows it, too, it need not connect anew.
    other.principals = member.edge.configuration.principals
    member.owner.core.reconfigure(other)
    #expect(member.asks(line("10", task: #"{"key":"k"}"#)).count == 1)
    member.answer(result("\(id)", "5") + "\n")
    #expect(heard(&member).map { $0.contains(#""id":10,"result":5"#) } == [true])
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[[[[1]]]],"task":{"key":"k"}}"#, "-32700"),
    (#"{"jsonrpc":"2.0","id":1,"method":"a.method.with.a.long.name","task":{"key":"k"}}"#, "-32600"),
  ])
  func `what only the client's own member allows is refused alone`(message: String, code: String) throws {
    var member = MemberBench()
    member.says(message + "\n" + line("2", task: #"{"key":"l"}"#))
    let told = member.mail()
    let mail = try #require(told)
    var wire = WireWriter()
    mail.write(into: &wire)
    let narrow = ScanLimits(nestingLevels: 4, methodBytes: 16)
    let batch = try #require(PeerBatch(wire.bytes, from: .asking, narrow))
    member.owner.core.heardAll(of: batch, from: 0)
    #expect(member.asked().count == 1)
    member.answer("")
    let replies = heard(&member)
    #expect(replies.count == 1 && replies[0].contains(#""id":1,"error":{"code":\#(code)"#), "\(replies)")
    // What was read is written as it came.
    var again = WireWriter()
    batch.write(into: &again)
    #expect(again.bytes == wire.bytes)
  }

  // MARK: Members that say what they should not

  /// The calls that wait for parts of an answer.
  private func parts(of member: borrowing MemberBench) -> [UInt64] {
    var numbers: [UInt64] = []
    for slot in member.edge.peers.calls.indices where member.edge.peers.calls[slot].gathering > 0 {
      numbers.append(member.edge.peers.calls[slot].number)
    }
    return numbers
  }

  private func tell(_ member: inout MemberBench, _ text: String) {
    var batch = PeerBatch()
    batch.addAnswer(toClient: 0) { $0 += Array((text + "\n").utf8) }
    batch.seal()
    member.edge.heardAll(of: batch, from: 1)
  }

  /// A client takes back what it has here and at another member.
  private func takingBack() -> MemberBench {
    var member = MemberBench()
    _ = member.asks(line("1", task: #"{"key":"k","scope":"connection"}"#) + request(2))
    _ = member.asks(#"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"key":"k"}}"# + "\n")
    _ = heard(&member)
    return member
  }

  /// What a client hears that has taken back, or looked at, what it has here and at another member.
  private func refusal(_ code: Int, _ message: String, _ effect: String) -> [String] {
    [
      #"{"jsonrpc":"2.0","id":9,"error":{"code":\#(code),"message":"\#(message)","data":{"upstream":"\#(effect)"}}}"#
    ]
  }

  private func ofCancel(_ replies: [String]) -> [String] { replies.filter { $0.contains(#""id":9,"#) } }

  @Test func `without the part of a member that is lost a cancel has not succeeded`() {
    var member = takingBack()
    _ = member.edge.placeIsDown(1)
    #expect(ofCancel(heard(&member)) == refusal(-32084, "upstream unavailable", "mayHaveCompleted"))
  }

  @Test func `nor without one that does not answer in time, or that is not JSON`() {
    var member = takingBack()
    timePasses(UInt64(member.edge.configuration.timeoutMilliseconds), of: &member)
    #expect(ofCancel(heard(&member)) == refusal(-32083, "deadline exceeded", "mayHaveCompleted"))
    member = takingBack()
    for part in parts(of: member) { tell(&member, #"{"jsonrpc":"2.0","id":\#(part),"result":{"a":}}"#) }
    #expect(ofCancel(heard(&member)).map { $0.contains("-32084") } == [true])
  }

  @Test(arguments: [("cancel", "mayHaveCompleted"), ("inspect", "notSent")])
  func `what of it could not be sent in time says whether something was taken back`(
    method: String, effect: String
  ) {
    var member = MemberBench()
    _ = member.asks(line("1", task: #"{"key":"k","scope":"connection"}"#))
    member.edge.partition(partition, isAt: -1, epoch: Self.next)
    member.says(#"{"jsonrpc":"2.0","id":9,"method":"lastword.\#(method)","params":{"key":"k"}}"# + "\n")
    _ = heard(&member)
    timePasses(UInt64(member.edge.configuration.timeoutMilliseconds), of: &member)
    #expect(ofCancel(heard(&member)) == refusal(-32083, "deadline exceeded", effect))
    let waiting = member.edge.remoteRequestCount
    #expect(waiting == 0)
  }

  @Test func `a piece of what has none is nobody's, and sums do not overflow`() {
    var member = takingBack()
    let parts = parts(of: member)
    #expect(parts.count == 1)
    for part in parts {
      tell(&member, #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(part),"value":1}}"#)
      tell(&member, #"{"jsonrpc":"2.0","id":\#(part),"result":{"cancelled":9223372036854775807}}"#)
    }
    #expect(heard(&member) == [result("9", #"{"cancelled":\#(UInt64(UInt32.max) + 1)}"#)])
  }

  @Test func `what comes back that was asked otherwise stays where it was asked`() {
    var member = takingBack()
    let before = member.edge.remoteRequestCount
    for part in parts(of: member) {
      let text = Array(#"{"jsonrpc":"2.0","id":\#(part),"method":"lastword.cancel"}"#.utf8)
      let bytes = JSONText.padded(text)
      var envelope = Envelope()
      _ = EnvelopeScanner.scan(bytes.span, text.indices, GatewayConfiguration().scan, into: &envelope)
      let claim = PartitionClaim(partition: Int16(partition) + 1, epoch: UInt32(MemberBench.epoch))
      for loop in 0...1 {
        member.edge.cameBack(bytes.span, envelope, of: 0, 1, about: claim, from: loop)
      }
    }
    #expect(member.edge.remoteRequestCount == before && member.asked().isEmpty)
    member.answer("")
    #expect(heard(&member).contains(result("9", #"{"cancelled":2}"#)))
  }

  @Test func `what a client takes back is looked for among what that has asked, oldest first`() {
    var member = MemberBench()
    member.says(request(1))
    guard let batch = member.mail(), case .request(_, let envelope, let claim)? = batch.events.last else {
      Issue.record("nothing was asked")
      return
    }
    var queue = RequestQueue()
    for call in 0..<300 {
      let place = RequestQueue.Place(client: Int32(call % 3), serial: UInt64(call % 3 + 1), loop: 0)
      queue.add(envelope, in: batch.bytes.span, call: UInt64(call), about: claim, of: place)
    }
    let name = MirrorName(loop: 0, slot: 1, serial: 2, framing: .lines)
    var seen = 0
    let some = queue.takeBack(of: name) { _, call in
      seen += 1
      return (call ?? 0) < 100
    }
    #expect(seen == 100 && some.map(\.call) == stride(from: 1, to: 100, by: 3).map { $0 })
    // The place has another client by now.
    let next = MirrorName(loop: 0, slot: 1, serial: 9, framing: .lines)
    #expect(queue.takeBack(of: next) { _, _ in true }.isEmpty)
    let rest = queue.takeBack(of: name) { _, _ in true }
    #expect(rest.map(\.call) == stride(from: 100, to: 300, by: 3).map { $0 })
    let others = queue.takeBack { _, _ in true }
    #expect(others.count == 200 && queue.isEmpty)
  }
}
