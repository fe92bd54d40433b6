import Testing

@testable import GatewayCore

/// Who has the room for what waits for other members of a fleet, and when it is free again.
@Suite struct WaitingRoomTests {
  /// Of the key `k`.
  private let partition = 2
  private static let next = UInt32(MemberBench.epoch + 1)

  private func request(_ id: Int, byteCount: Int = 9_000, policy: String = "wait") -> String {
    let text = String(repeating: "x", count: byteCount)
    return line("\(id)", params: "[\"\(text)\"]", task: #"{"key":"k","policy":"\#(policy)"}"#)
  }

  private func notification(_ number: Int, byteCount: Int = 9_000) -> String {
    let params = "[\(number),\"\(String(repeating: "x", count: byteCount))\"]"
    return #"{"jsonrpc":"2.0","method":"m","params":\#(params),"task":{"key":"k"}}"# + "\n"
  }

  private func say(_ text: String, from client: ClientID, to member: inout MemberBench) {
    let bytes = Array(text.utf8)
    member.edge.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: client)
    while member.edge.isBehind { member.edge.goOn() }
  }

  private func heard(_ client: ClientID, at member: inout MemberBench) -> [String] {
    member.edge.flush(into: &member.edgeSink)
    let bytes = member.edgeSink.toClients.removeValue(forKey: client.slot) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func refused(_ replies: [String]) -> Int {
    replies.count { $0.contains("-32082") && $0.contains("too much waits for the fleet") }
  }

  // MARK: At the loop with the clients

  /// Nobody is known to have the partition.
  private func unowned() -> MemberBench {
    var member = MemberBench { $0.fleet.parkedBytes = 100_000 }
    member.edge.partition(partition, isAt: -1, epoch: Self.next)
    return member
  }

  /// How much waits.
  private func parked(_ member: borrowing MemberBench) -> [Int] {
    [member.edge.parkedRequestCount, member.edge.parkedByteCount]
  }

  /// How many requests are sent once somebody has the partition.
  private func sent(by member: inout MemberBench) -> Int {
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    return told(by: &member)
  }

  /// How many requests the loop that has the partition is told of at the end of the turn.
  private func told(by member: inout MemberBench) -> Int { member.mail()?.requestCount ?? 0 }

  @Test func `no client has all of the room for what waits to be sent`() {
    var member = unowned()
    let other = member.edge.clientConnected(listener: 0)!
    for id in 1...20 { member.says(request(id)) }
    #expect(refused(heard(member.client, at: &member)) == 14)
    say(request(1), from: other, to: &member)
    #expect(heard(other, at: &member).isEmpty)
    #expect(sent(by: &member) == 7)
    let left = parked(member)
    #expect(left == [0, 0])
    // What has been sent counts no more.
    member.edge.partition(partition, isAt: -1, epoch: Self.next + 1)
    for id in 21...26 { member.says(request(id)) }
    #expect(heard(member.client, at: &member).isEmpty)
  }

  @Test func `requests that ended leave their client its room`() {
    var member = unowned()
    for _ in 1...3 {
      for id in 1...6 { member.says(request(id)) }
      #expect(refused(heard(member.client, at: &member)) == 0)
      for id in 1...6 {
        member.says(#"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":\#(id)}}"# + "\n")
      }
      #expect(heard(member.client, at: &member).count { $0.contains("-32800") } == 6)
      let left = parked(member)
      #expect(left == [0, 0])
    }
  }

  @Test func `of a client that is gone no notification takes room`() {
    for isOrderly in [false, true] {
      var member = unowned()
      for number in 1...20 { member.says(notification(number)) }
      let (waiting, refused) = (member.edge.parkedRequestCount, member.edge.counters.notificationsLost)
      #expect(waiting == 6 && refused == 14)
      let client = member.client
      if isOrderly { member.edge.clientEnded(client) } else { member.edge.clientDisconnected(client) }
      member.edge.flush(into: &member.edgeSink)
      let (left, lost) = (parked(member), member.edge.counters.notificationsLost)
      #expect(left == [0, 0] && lost == 20)
      // Whoever has its slot now has all of its room.
      let next = member.edge.clientConnected(listener: 0)!
      #expect(next == client)
      for number in 1...6 { say(notification(number), from: next, to: &member) }
      #expect(sent(by: &member) == 6)
      let lostLater = member.edge.counters.notificationsLost
      #expect(lostLater == 20)
    }
  }

  @Test func `those of others that wait beside them are sent in their order`() {
    var member = unowned()
    let other = member.edge.clientConnected(listener: 0)!
    let client = member.client
    for number in 1...9 {
      say(notification(number, byteCount: 1), from: number % 3 == 0 ? other : client, to: &member)
    }
    member.edge.clientDisconnected(other)
    let (waiting, lost) = (member.edge.parkedRequestCount, member.edge.counters.notificationsLost)
    #expect(waiting == 6 && lost == 3)
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    let told = (member.mail()?.summary ?? "").split(separator: ", ").filter { $0.hasPrefix("request") }
    let numbers = [1, 2, 4, 5, 7, 8]
    #expect(told.map(String.init) == numbers.map { #"request [\#($0),"x"] partition 2 epoch 8"# })
    let left = parked(member)
    #expect(left == [0, 0])
  }

  // MARK: On the way to the owner

  private static let inspect = line("99", "lastword.inspect", params: #"{"key":"k"}"#)

  @Test func `nor of the room on the way to a loop that is slow to take what it is told`() {
    var member = MemberBench()
    let other = member.edge.clientConnected(listener: 0)!
    let half = GatewayCore.mostMailBytes / 2
    func ask(_ ids: ClosedRange<Int>) -> Int {
      var count = 0
      for id in ids {
        member.says(request(id, byteCount: 1 << 20))
        count += told(by: &member)
      }
      return count
    }
    func tell(_ byteCount: Int, takenByteCount: Int) {
      member.edge.otherLoop(1, isTold: (byteCount: byteCount, takenByteCount: UInt64(takenByteCount)))
    }
    func refused() -> Int {
      let overload = "too much of this connection waits for the loop"
      return heard(member.client, at: &member).count { $0.contains(overload) }
    }
    tell(half, takenByteCount: 0)
    #expect(ask(1...40) == 32)
    #expect(refused() == 8)
    member.says(Self.inspect)
    #expect(told(by: &member) == 1)
    say(request(1, byteCount: 1 << 20), from: other, to: &member)
    #expect(told(by: &member) == 1 && heard(other, at: &member).isEmpty)
    // It has taken what was on its way there before the first of them.
    tell(half + 1, takenByteCount: half)
    #expect(ask(41...42) == 0 && refused() == 2)
    tell(half, takenByteCount: 2 * half)
    #expect(ask(43...43) == 0 && refused() == 1)
    // And these, too.
    tell(half, takenByteCount: 2 * half + 1)
    #expect(ask(44...60) == 17 && refused() == 0)
    member.edge.otherLoop(1, isTold: nil)
    #expect(ask(61...90) == 30 && refused() == 0)
  }

  @Test func `what is told in one turn counts, too, and the next client in a slot has room of its own`() {
    var member = MemberBench()
    member.edge.otherLoop(1, isTold: (byteCount: GatewayCore.mostMailBytes / 2, takenByteCount: 0))
    for id in 1...20 { member.says(request(id, byteCount: 1 << 20)) }
    #expect(told(by: &member) == 16)
    _ = heard(member.client, at: &member)
    member.edge.clientDisconnected(member.client)
    let next = member.edge.clientConnected(listener: 0)!
    #expect(next == member.client)
    for id in 1...20 { say(request(id, byteCount: 1 << 20), from: next, to: &member) }
    #expect(told(by: &member) == 16)
  }

  // MARK: At the owner

  /// A member that has had its partition so short a time that what must be alone waits.
  private func takenOver() -> MemberBench {
    var member = MemberBench {
      $0.fleet.takeoverMilliseconds = 60_000
      $0.fleet.parkedBytes = 100_000
    }
    member.owner.core.gained(partition, epoch: Self.next, isExclusive: false)
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    return member
  }

  @Test func `nor of the room for what came too early`() {
    var member = takenOver()
    let other = member.edge.clientConnected(listener: 0)!
    for id in 1...20 { #expect(member.asks(request(id)).isEmpty) }
    member.answer("")
    #expect(refused(heard(member.client, at: &member)) == 14)
    say(request(1), from: other, to: &member)
    #expect(member.passes().isEmpty)
    member.answer("")
    #expect(heard(other, at: &member).isEmpty)
    // What has been taken back leaves its room to its client.
    for id in 1...6 {
      _ = member.asks(#"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":\#(id)}}"# + "\n")
    }
    member.answer("")
    #expect(heard(member.client, at: &member).count { $0.contains("-32800") } == 6)
    for id in 21...25 { _ = member.asks(request(id)) }
    member.answer("")
    #expect(refused(heard(member.client, at: &member)) == 0)
    member.edge.clientDisconnected(member.client)
    #expect(member.passes().isEmpty)
    member.owner.timePasses(60_000)
    #expect(member.asked().count == 1)
    let hasLeft = member.owner.core.leftovers.contains { $0.contains("came too early") }
    #expect(!hasLeft)
  }
}
