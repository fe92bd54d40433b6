import GatewayCore
import Identity
import TaskStore
import Testing

/// Mirrors whose clients another member has, or that another loop gives up; and what is counted of them.
@Suite struct ForeignMirrorTests {
  /// Of so many keys some are at each loop.
  private static let keys = 0..<16

  /// Ada is user 1 of the machine.
  private static func configuration(
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.listeners = [ListenerOptions()]
    configuration.listeners[0].asksWho = true
    configuration.principals = [PrincipalOptions(name: "ada")]
    configuration.principals[0].users = [1]
    adjust(&configuration)
    return configuration
  }

  /// A member whose client is ada's.
  private func memberOfAda(_ configuration: GatewayConfiguration) -> MemberBench {
    MemberBench(as: .stream, .user(1)) { $0 = configuration }
  }

  private func say(_ text: String, _ client: ClientID, to core: inout GatewayCore) {
    let bytes = Array(text.utf8)
    core.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: client)
  }

  /// What the client of a member has heard.
  private func heard(_ member: inout MemberBench) -> [String] {
    member.edge.flush(into: &member.edgeSink)
    let bytes = member.edgeSink.toClients.removeValue(forKey: member.client.slot) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func isAsked(_ told: [String]) -> Bool { told.contains { $0.contains(#""method":"m""#) } }
  private func isCancelled(_ told: [String]) -> Bool { told.contains { $0.contains("$/cancelRequest") } }

  // MARK: Clients of another member

  /// By this number other members know the owner of all keys, and it knows them.
  private let otherPlace = 2

  /// A loop of another member, with clients.
  private func otherEdge() -> GatewayCore {
    let place = LoopPlace(number: 0, of: 2, seed: 1, isInFleet: true, partitions: MemberBench.partitions)
    var edge = GatewayCore(GatewayConfiguration(), seed: 2, nowMilliseconds: 1_000, at: place)
    edge.placeIsUp(otherPlace)
    for partition in 0..<MemberBench.partitions {
      edge.partition(partition, isAt: otherPlace, epoch: UInt32(MemberBench.epoch))
    }
    return edge
  }

  /// A client of another member says something, and the owner hears of it; then what the upstream hears.
  /// - Parameter place: by which the owner knows the other member's loop.
  private func ask(
    _ text: String, _ client: ClientID, of other: inout GatewayCore, at place: Int = 2,
    _ member: inout MemberBench
  ) throws -> [String] {
    say(text, client, to: &other)
    return try pass(&other, at: place, &member)
  }

  /// The owner hears what the other member's loop has to tell it; then what the upstream hears.
  private func pass(
    _ other: inout GatewayCore, at place: Int = 2, _ member: inout MemberBench
  ) throws -> [String] {
    var sink = RecordingSink()
    other.flush(into: &sink)
    let batch = other.takeBatch(for: otherPlace)
    let told = try #require(batch)
    member.owner.core.heardAll(of: told, from: place)
    return member.asked()
  }

  @Test func `orders of the first clients of two members are compared apart`() throws {
    var member = MemberBench()
    #expect(member.asks(line("1", task: #"{"key":"k","order":1000}"#)).count == 1)
    var other = otherEdge()
    let connected = other.clientConnected(listener: 0)
    let client = try #require(connected)
    let (number, own) = (other.number(of: client), member.edge.number(of: member.client))
    #expect(number == own)
    let asked = try ask(line("2", task: #"{"key":"k","order":5}"#), client, of: &other, &member)
    #expect(isAsked(asked), "\(asked)")
  }

  @Test func `sessions of the first POSTs of two members have keys of their own`() throws {
    let task = #"{"key":"k","scope":"connection","policy":"cancel"}"#
    var member = MemberBench(as: .exchange)
    member.edge.name(member.client, session: Array("of-the-first-member-0001".utf8))
    #expect(member.asks(line("1", task: task)).count == 1)
    var other = otherEdge()
    let connected = other.clientConnected(listener: 0, as: .exchange)
    let post = try #require(connected)
    other.name(post, session: Array("of-another-member-000001".utf8))
    let asked = try ask(line("2", task: task), post, of: &other, &member)
    #expect(isAsked(asked) && !isCancelled(asked), "\(asked)")
  }

  @Test func `so are orders of the first clients of two other members`() throws {
    var member = MemberBench()
    var first = otherEdge()
    var second = otherEdge()
    member.owner.core.placeIsUp(otherPlace, ofLife: 5)
    member.owner.core.placeIsUp(3, ofLife: 6)
    let (one, other) = (first.clientConnected(listener: 0), second.clientConnected(listener: 0))
    let (client, later) = (try #require(one), try #require(other))
    let before = try ask(line("1", task: #"{"key":"k","order":1000}"#), client, of: &first, &member)
    #expect(isAsked(before), "\(before)")
    let asked = try ask(line("2", task: #"{"key":"k","order":5}"#), later, of: &second, at: 3, &member)
    #expect(isAsked(asked), "\(asked)")
  }

  @Test(arguments: [5, 6] as [UInt64])
  func `a connection that is introduced again keeps its orders, unless its member is another`(
    life: UInt64
  ) throws {
    var member = MemberBench()
    var other = otherEdge()
    member.owner.core.placeIsUp(otherPlace, ofLife: 5)
    let connected = other.clientConnected(listener: 0)
    let client = try #require(connected)
    let before = try ask(line("1", task: #"{"key":"k","order":1000}"#), client, of: &other, &member)
    #expect(isAsked(before), "\(before)")
    // The link breaks, and there is a new one.
    _ = member.owner.core.placeIsDown(otherPlace)
    _ = other.placeIsDown(otherPlace)
    _ = member.asked()
    member.owner.core.placeIsUp(otherPlace, ofLife: life)
    other.placeIsUp(otherPlace)
    let asked = try ask(line("2", task: #"{"key":"k","order":5}"#), client, of: &other, &member)
    #expect(isAsked(asked) == (life == 6), "\(asked)")
  }

  @Test func `POSTs of a session of another member have its own keys one after the other`() throws {
    let task = #"{"key":"k","scope":"connection","policy":"wait"}"#
    let session = Array("of-another-member-000001".utf8)
    var member = MemberBench(as: .exchange)
    var other = otherEdge()
    member.owner.core.placeIsUp(otherPlace, ofLife: 5)
    // The owner never hears of the first, by which the session goes on.
    var posts: [ClientID] = []
    for _ in 0..<3 {
      let connected = other.clientConnected(listener: 0, as: .exchange)
      let post = try #require(connected)
      other.name(post, session: session)
      posts.append(post)
    }
    let before = try ask(line("1", task: task), posts[1], of: &other, &member)
    #expect(isAsked(before), "\(before)")
    other.clientDisconnected(posts[1])
    let between = try pass(&other, &member)
    #expect(isCancelled(between), "\(between)")
    let asked = try ask(line("2", task: task), posts[2], of: &other, &member)
    #expect(!isAsked(asked), "\(asked)")
  }

  // MARK: A member that pauses

  @Test func `a group of a principal is taken back at a member that pauses, too`() throws {
    var member = memberOfAda(Self.configuration())
    #expect(member.asks(line("1", task: #"{"key":"k","group":"g"}"#)).count == 1)
    member.edge.placePauses(1)
    member.says(line("9", "lastword.cancel", params: #"{"group":"g","scope":"principal"}"#))
    let batch = member.mail()
    let told = try #require(batch, "it is told nothing")
    let early = heard(&member)
    #expect(early == [])
    member.owner.core.heardAll(of: told, from: 0)
    let asked = member.asked()
    #expect(isCancelled(asked), "\(asked)")
    member.answer("")
    let replies = heard(&member)
    #expect(replies.contains(result("9", #"{"cancelled":1}"#)), "\(replies)")
  }

  @Test func `so is a group of a session of POSTs`() throws {
    let session = Array("of-two-posts".utf8)
    var member = MemberBench(as: .exchange)
    member.edge.name(member.client, session: session)
    #expect(member.asks(line("1", task: #"{"key":"k","group":"g"}"#)).count == 1)
    let connected = member.edge.clientConnected(listener: 0, as: .exchange)
    let later = try #require(connected)
    member.edge.name(later, session: session)
    member.edge.placePauses(1)
    say(line("9", "lastword.cancel", params: #"{"group":"g"}"#), later, to: &member.edge)
    let batch = member.mail()
    let told = try #require(batch, "it is told nothing")
    member.owner.core.heardAll(of: told, from: 0)
    let asked = member.asked()
    #expect(isCancelled(asked), "\(asked)")
  }

  // MARK: Mirrors that are given up

  @Test(arguments: [false, true])
  func `callers that a reload turns away are not their principal's any more`(isOfMember: Bool) {
    let configuration = Self.configuration { $0.principals[0].quotas.callers = Self.keys.count }
    let requests = Self.keys.map { line("\($0)", task: #"{"key":"k\#($0)"}"#) }.joined()
    var loops = LoopsBench(configuration, ofMember: isOfMember)
    let ada = loops.connect(1)
    _ = loops.ask(requests, ada)
    let (atFar, callers) = (loops.far.core.liveRequestCount, loops.far.core.principalViews.map(\.callers))
    #expect(atFar > 0 && callers == [atFar])
    let withoutAda = Self.configuration { $0.principals = [] }
    loops.far.core.reconfigure(withoutAda)
    let miscounted = loops.far.core.misaccountedPrincipals
    #expect(miscounted == [])
    loops.near.core.reconfigure(withoutAda)
    loops.turn()
    _ = loops.near.heard(ada)
    let (left, open) = (loops.far.core.connectionViews.count, loops.far.core.liveRequestCount)
    #expect(left == 0 && open == 0)
    // She is back, and may have as many as before.
    loops.far.core.reconfigure(configuration)
    loops.near.core.reconfigure(configuration)
    let later = loops.far.core.principalViews.map(\.callers)
    #expect(later == [0])
    let again = loops.connect(1)
    let heard = loops.ask(requests, again)
    #expect(heard == [])
  }

  @Test(arguments: [ClientKind.exchange, .session])
  func `a POST that another loop closes at work hears what may have been done`(kind: ClientKind) {
    var loops = LoopsBench(Self.configuration(), ofMember: true)
    let post = loops.connect(1, as: kind)
    _ = loops.ask(line("1", task: #"{"key":"k"}"#), post)
    let open = loops.far.core.liveRequestCount
    #expect(open == 1)
    // The far member alone does not know her any more.
    loops.far.core.reconfigure(Self.configuration { $0.principals = [] })
    loops.turn()
    let heard = loops.near.heard(post)
    let refusal =
      #""id":1,"error":{"code":-32800,"message":"cancelled","data":{"upstream":"mayHaveCompleted"}"#
    #expect(heard.map { $0.contains(refusal) } == [true], "\(heard)")
    let closed = loops.near.closed()
    #expect(closed == [post.slot])
  }

  @Test func `a POST that another loop closes between two turns of its array has a reply`() {
    var loops = LoopsBench(Self.configuration { $0.turnMessages = 2 }, ofMember: true)
    let post = loops.connect(1, as: .exchange)
    let note = #"{"jsonrpc":"2.0","method":"m","task":{"key":"k"}}"#
    let items = [note] + (1...3).map { String(line("\($0)", "lastword.ping").dropLast()) }
    loops.near.sendInTurn("[\(items.joined(separator: ","))]\n", from: post)
    loops.near.core.clientEnded(post)
    loops.turn()
    let known = loops.far.core.connectionViews.count
    #expect(known == 1)
    loops.far.core.reconfigure(Self.configuration { $0.principals = [] })
    loops.turn()
    let heard = loops.near.heard(post)
    #expect(
      heard == [#"{"jsonrpc":"2.0","id":null,"error":{"code":-32800,"message":"cancelled"}}"#], "\(heard)")
    let closed = loops.near.closed()
    #expect(closed == [post.slot])
  }

  // MARK: What counts for a principal

  /// Callers that ada's requests have superseded at the owner.
  private func superseded(_ member: borrowing MemberBench) -> UInt64 {
    member.owner.core.principalViews.first?.tally.superseded ?? 0
  }

  @Test func `what is superseded at a handover is counted without those that followed before`() {
    var member = memberOfAda(
      Self.configuration {
        $0.principals[0].quotas.supersessionsPerSecond = 10
        $0.routes = [Route(method: "f")]
        $0.routes[0].superseded = .follow
      })
    for id in 1...2 { _ = member.asks(line("\(id)", "f", task: #"{"key":"f"}"#)) }
    _ = member.asks(line("3", task: #"{"key":"k"}"#))
    let (followed, before) = (member.owner.core.counters.followed, superseded(member))
    #expect(followed == 1 && before == 1)
    for partition in 0..<MemberBench.partitions { member.owner.core.drain(partition: partition) }
    let told = member.asks(line("4", task: #"{"key":"k"}"#))
    #expect(isCancelled(told) && !isAsked(told), "\(told)")
    let after = superseded(member)
    #expect(after == before + 1)
  }

  @Test func `to take back by id what waits for an owner counts among a principal's cancels`() {
    var member = memberOfAda(Self.configuration { $0.principals[0].quotas.cancelsPerSecond = 1 })
    for partition in 0..<MemberBench.partitions {
      member.edge.partition(partition, isAt: -1, epoch: UInt32(MemberBench.epoch + 1))
    }
    member.says(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"l"}"#))
    member.says(line("8", "lastword.cancel", params: #"{"id":1}"#))
    member.says(line("9", "lastword.cancel", params: #"{"id":2}"#))
    let replies = heard(&member)
    #expect(replies.count == 3, "\(replies)")
    #expect(replies.contains { $0.contains(#""id":1,"error":{"code":-32800,"#) }, "\(replies)")
    #expect(replies.contains(result("8", #"{"cancelled":1}"#)), "\(replies)")
    #expect(replies.contains { $0.contains(#""id":9,"error":{"code":-32082,"#) }, "\(replies)")
    let parked = member.edge.parkedRequestCount
    let cancelled = member.edge.principalViews.first?.tally.cancelled
    #expect(parked == 1 && cancelled == 1)
  }

  @Test func `a cancel by id of what another loop has is charged there, and not here as well`() {
    var member = memberOfAda(Self.configuration { $0.principals[0].quotas.cancelsPerSecond = 1 })
    let asked = member.asks(line("1", task: #"{"key":"k"}"#))
    #expect(isAsked(asked))
    member.says(line("2", task: #"{"key":"k","scope":"connection"}"#))
    for id in 1...2 {
      member.says(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"# + "\n")
    }
    let replies = heard(&member)
    #expect(replies.map { $0.contains(#""id":2,"error":{"code":-32800,"#) } == [true], "\(replies)")
    let told = member.passes()
    #expect(isCancelled(told), "\(told)")
    let atOwner = member.owner.core.principalViews.first?.tally.cancelled
    #expect(atOwner == 1)
  }
}
