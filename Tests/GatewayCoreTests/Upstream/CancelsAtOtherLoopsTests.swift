import GatewayCore
import Identity
import TaskStore
import Testing

/// Taking back what several loops have a part of: one waiter waits for the sum, and one for each part.
@Suite struct CancelsAtOtherLoopsTests {
  private static let cancel =
    #"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"group":"g"}}"# + "\n"

  /// What the client hears once it has asked for a key of another loop and taken back a group.
  private func reply(waiters: Int) -> String {
    var member = MemberBench { $0.store.waiters = waiters }
    let asked = member.asks(line("1", task: #"{"key":"k","group":"g"}"#))
    #expect(asked.count == 1)
    let told = member.asks(Self.cancel)
    #expect(told.isEmpty == (waiters < 3))
    return heard(&member)
  }

  @Test func `who finds no room to wait is refused, and nothing is taken back`() {
    let refused = reply(waiters: 2)
    #expect(
      refused.contains(#""id":9"#) && refused.contains("-32082") && refused.contains("too many callers"))
    #expect(!refused.contains(#""id":1,"#))
  }

  @Test
  func
    `a POST that is evicted hears what may have been done of another loop's key, and that loop takes it back`()
  {
    var member = MemberBench(as: .exchange)
    #expect(member.asks(line("1", task: #"{"key":"k"}"#)).count == 1)
    member.edge.clientEnded(member.client)
    #expect(member.edge.evict(connection: member.edge.number(of: member.client)) == 1)
    member.edge.flush(into: &member.edgeSink)
    let heard = String(decoding: member.edgeSink.toClients[member.client.slot] ?? [], as: UTF8.self)
    #expect(
      heard.contains(
        #""id":1,"error":{"code":-32800,"message":"cancelled","data":{"upstream":"mayHaveCompleted"}"#),
      "\(heard)")
    #expect(member.edgeSink.closed == [member.client.slot] && member.edge.leftovers == [])
    let cancels = member.passes()
    #expect(cancels.count == 1 && cancels[0].contains("$/cancelRequest"), "\(cancels)")
  }

  @Test func `with room it is answered with the sum`() {
    let answered = reply(waiters: 3)
    #expect(answered.contains(#""id":9,"result":{"cancelled":1}"#) && answered.contains("-32800"))
  }

  private func heard(_ member: inout MemberBench) -> String {
    member.answer("")
    member.edge.flush(into: &member.edgeSink)
    let bytes = member.edgeSink.toClients.removeValue(forKey: member.client.slot) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A member with a client whose principal has such quotas.
  private func member(_ limit: @escaping (inout Quotas) -> Void) -> MemberBench {
    MemberBench(as: .stream, .user(1)) {
      var (listener, ada) = (ListenerOptions(), PrincipalOptions(name: "ada"))
      listener.asksWho = true
      ada.users = [1]
      limit(&ada.quotas)
      $0.listeners = [listener]
      $0.principals = [ada]
    }
  }

  @Test
  func `requests to other loops count among its principal's callers, and its cancels have as much room`() {
    var member = member { $0.callers = 1 }
    let asked = member.asks((1...2).map { line("\($0)", task: #"{"key":"k\#($0)","group":"g"}"#) }.joined())
    #expect(asked.count == 1)
    let refused = heard(&member)
    #expect(
      refused.contains(
        #""id":2,"error":{"code":-32082,"message":"too many callers of this principal","data":{"upstream":"notSent","#
          + #""retryAfterMs":1000}}"#), "\(refused)")
    _ = member.asks(Self.cancel)
    #expect(heard(&member).contains(#""id":9,"result":{"cancelled":1}"#))
  }

  @Test(arguments: ["$/cancelRequest", "lastword.cancel"])
  func `to take back by id what another loop has takes no more room than that`(method: String) {
    var member = member { $0.callers = 1 }
    _ = member.asks(line("1", task: #"{"key":"k"}"#))
    member.says((8...9).map { line("\($0)", method, params: #"{"id":1}"#) }.joined())
    let refused = heard(&member)
    #expect(
      refused.contains(#""id":9,"error":{"code":-32082,"message":"too many callers of this principal""#)
        && !refused.contains(#""id":8"#), "\(refused)")
    _ = member.passes()
    let replies = heard(&member)
    #expect(isCancelled(1, in: replies) && replies.contains(#""id":8,"result":"#), "\(replies)")
    let callers = member.edge.principalViews.map(\.callers)
    let miscounted = member.edge.misaccountedPrincipals
    #expect(callers == [0] && miscounted == [])
  }

  @Test(arguments: [false, true])
  func `each part of an answer is a caller, until it has come or its client is gone`(isRevoked: Bool) {
    var member = member { $0.callers = 2 }
    _ = member.asks(line("1", task: #"{"key":"k","group":"g"}"#))
    member.says((7...9).map { line("\($0)", "lastword.cancel", params: #"{"group":"g"}"#) }.joined())
    let refused = heard(&member)
    #expect(
      refused.contains(#""id":9,"error":{"code":-32082,"message":"too many callers of this principal""#)
        && !refused.contains(#""id":8"#), "\(refused)")
    // The request, and twice a caller for the whole and one for its part.
    let waiting = member.edge.principalViews.map(\.callers)
    #expect(waiting == [5])
    if isRevoked {
      var later = member.edge.configuration
      later.principals[0].users = []
      member.edge.reconfigure(later)
    }
    let atOnce = member.edge.misaccountedPrincipals
    #expect(atOnce == [])
    _ = member.passes()
    #expect(heard(&member).contains(#""id":8,"result":{"cancelled":"#) != isRevoked)
    let callers = member.edge.principalViews.map(\.callers)
    let miscounted = member.edge.misaccountedPrincipals
    #expect(callers == [0] && miscounted == [])
  }

  @Test func `who takes back too much at another loop is refused there, and hears that`() {
    var member = member { $0.cancelsPerSecond = 1 }
    let asked = member.asks((1...3).map { line("\($0)", task: #"{"key":"k\#($0)","group":"g"}"#) }.joined())
    #expect(asked.count == 3)
    _ = member.asks(Self.cancel)
    #expect(heard(&member).contains(#""id":9,"result":{"cancelled":3}"#))
    _ = member.asks(line("4", task: #"{"key":"k4","group":"g"}"#) + Self.cancel)
    let refused = heard(&member)
    #expect(refused.contains(#""id":9,"error":{"code":-32082,"#) && refused.contains("retryAfterMs"))
  }

  // MARK: What comes back behind a cancel by key

  /// Of the key `k`.
  private let partition = 2
  private let ofKey = #""method":"lastword.cancel","params":{"key":"k"}}"# + "\n"

  /// Its client asks for a key of its own, and for one whose partition is being given away.
  /// - Returns: what the loop with the partition has not heard yet.
  private func ask(_ member: inout MemberBench) throws -> PeerBatch {
    member.says(line("1", task: #"{"key":"k","scope":"connection"}"#) + line("2", task: #"{"key":"k"}"#))
    let mail = member.mail()
    member.owner.core.drain(partition: partition)
    return try #require(mail)
  }

  /// It gives back what it was asked for its partition, which another one has from then on.
  /// - Returns: what upstream then hears.
  private func moves(_ member: inout MemberBench, _ asked: PeerBatch) -> [String] {
    member.owner.core.heardAll(of: asked, from: 0)
    var upstream = member.passes()
    member.answer("")
    let next = UInt32(MemberBench.epoch + 1)
    member.owner.core.gained(partition, epoch: next, isExclusive: true)
    member.edge.partition(partition, isAt: 1, epoch: next)
    upstream += member.passes()
    return upstream
  }

  private func isCancelled(_ id: Int, in text: String) -> Bool {
    text.contains("\"id\":\(id),\"error\":{\"code\":-32800,")
  }

  @Test(arguments: [true, false])
  func `a cancel by key that is refused here takes nothing back`(isAtQuota: Bool) throws {
    var member = member { $0.cancelsPerSecond = 1 }
    if isAtQuota {
      let own = #"{"key":"o","scope":"connection","group":"g","policy":"concurrent"}"#
      member.says((101...103).map { line("\($0)", task: own) }.joined() + Self.cancel)
      #expect(heard(&member).contains(#""id":9,"result":{"cancelled":3}"#))
    }
    let asked = try ask(&member)
    if !isAtQuota {
      var behind = [Bool](repeating: false, count: LoopPlace.mostInFleet)
      behind[1] = true
      member.edge.otherLoops(areBehind: behind)
    }
    let scope = isAtQuota ? "" : #","scope":"shared""#
    member.says(
      #"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"key":"k"\#(scope)}}"# + "\n")
    #expect(moves(&member, asked).count == 1)
    let replies = heard(&member)
    #expect(replies.contains(#""id":9,"error":{"code":-32082,"#), "\(replies)")
    #expect(!isCancelled(1, in: replies) && !isCancelled(2, in: replies), "\(replies)")
  }

  @Test(arguments: [#""id":9,"#, ""])
  func `one that goes there takes back what comes back behind it, and what is here`(id: String) throws {
    var member = MemberBench()
    let asked = try ask(&member)
    member.says(#"{"jsonrpc":"2.0",\#(id)"# + ofKey)
    #expect(moves(&member, asked).isEmpty)
    let replies = heard(&member)
    #expect(isCancelled(1, in: replies) && isCancelled(2, in: replies), "\(replies)")
    #expect(replies.contains(#""id":9,"result":{"cancelled":1}"#) == !id.isEmpty, "\(replies)")
  }

  @Test(arguments: [#""id":9,"#, ""])
  func `so does one that has waited here until it could be sent`(id: String) throws {
    var member = MemberBench()
    let asked = try ask(&member)
    member.edge.placePauses(1)
    member.says(
      #"{"jsonrpc":"2.0",\#(id)"# + ofKey.replacing(#""key":"k""#, with: #""key":"k","scope":"shared""#))
    let parked = member.edge.parkedRequestCount
    #expect(parked == 1)
    member.edge.placeIsUp(1)
    #expect(moves(&member, asked).isEmpty)
    let replies = heard(&member)
    #expect(!isCancelled(1, in: replies) && isCancelled(2, in: replies), "\(replies)")
  }

  @Test(arguments: ["k", "l"])
  func `of a session's own keys a cancel takes back those of its key alone`(key: String) throws {
    var member = MemberBench(as: .exchange)
    member.edge.name(member.client, session: Array("s".utf8))
    member.says(line("1", task: #"{"key":"k","scope":"connection"}"#))
    let mail = member.mail()
    for partition in 0..<MemberBench.partitions { member.owner.core.drain(partition: partition) }
    let connected = member.edge.clientConnected(listener: 0, nil, as: .exchange)
    let other = try #require(connected)
    member.edge.name(other, session: Array("s".utf8))
    let cancel =
      #"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"key":"\#(key)","scope":"connection"}}"#
    let bytes = Array((cancel + "\n").utf8)
    member.edge.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: other)
    member.owner.core.heardAll(of: try #require(mail), from: 0)
    #expect(member.passes().isEmpty)
    member.answer("")
    #expect(isCancelled(1, in: heard(&member)) == (key == "k"))
  }
}
