import Foundation
import Testing

@testable import GatewayCore

/// What is handled of what another loop tells before it is others' turn.
@Suite struct MailTurnTests {
  private func bench(messages: Int = 2) -> MemberBench {
    MemberBench {
      $0.turnMessages = messages
      $0.upstreams[0].cancel = .lsp
    }
  }

  private func request(_ number: Int) -> String { line("\(number)", task: #"{"key":"k\#(number)"}"#) }

  /// What the loop with the keys is told of these requests in one turn.
  private func mail(_ member: inout MemberBench, _ numbers: ClosedRange<Int>) -> PeerBatch {
    member.says(numbers.map(request).joined())
    return member.mail()!
  }

  /// How many requests have come to its upstream since.
  private func asked(_ member: inout MemberBench) -> Int { member.asked().count }

  @Test func `one share of it is handled, and the rest once that is wanted`() {
    var member = bench()
    let batch = mail(&member, 1...5)
    // The first says who the client is.
    #expect(batch.eventCount == 6)
    let first = member.owner.core.heard(batch, from: 0)
    #expect(first == 3 && asked(&member) == 2)
    let second = member.owner.core.heard(batch, from: 0, behind: first)
    #expect(second == 5 && asked(&member) == 2)
    let third = member.owner.core.heard(batch, from: 0, behind: second)
    #expect(third == 6 && asked(&member) == 1)
  }

  @Test func `what there is no time for waits for its mirror's turn, and what comes later waits behind it`() {
    var member = bench()
    let batch = mail(&member, 1...4)
    let count = member.owner.core.heard(batch, from: 0)
    _ = member.owner.core.putOff(batch, from: 0, behind: count)
    let later = mail(&member, 5...5)
    member.owner.core.heardAll(of: later, from: 0)
    #expect(asked(&member) == 2 && member.owner.core.isBehind)
    let held = member.owner.core.mailByteCount
    member.owner.core.goOn()
    #expect(asked(&member) == 2 && member.owner.core.mailByteCount < held)
    member.owner.core.goOn()
    #expect(asked(&member) == 1 && !member.owner.core.isBehind && member.owner.core.mailByteCount == 0)
  }

  @Test func `another client has its turn between`() {
    var member = bench(messages: 1)
    let batch = mail(&member, 1...3)
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    let own = member.owner.connect()
    member.owner.core.goOn()
    member.owner.sendInTurn(line("9", "lastword.ping") + line("10", "lastword.ping"), from: own)
    #expect(asked(&member) == 1)
    member.owner.core.goOn()
    member.owner.core.goOn()
    #expect(member.owner.heard(own).count == 2)
    #expect(asked(&member) == 1)
    member.owner.core.goOn()
    #expect(asked(&member) == 1 && !member.owner.core.isBehind)
  }

  @Test func `a long answer of the gateway's own ends a share`() {
    var member = MemberBench { $0.turnOutputBytes = 1024 }
    let tasks = (1...20).map { line("\($0)", task: #"{"key":"k","policy":"concurrent"}"#) }
    #expect(member.asks(tasks.joined()).count == 20)
    let inspect = #"{"jsonrpc":"2.0","id":30,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n"
    member.says(inspect + inspect)
    let batch = member.mail()!
    #expect(batch.eventCount == 2)
    let count = member.owner.core.heard(batch, from: 0)
    #expect(count == 1)
  }

  @Test func `what takes back a request waits behind it`() {
    var member = bench(messages: 1)
    let batch = mail(&member, 1...1)
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    member.says(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
    let cancel = member.mail()!
    _ = member.owner.core.putOff(cancel, from: 0, behind: 0)
    member.owner.core.goOn()
    #expect(asked(&member) == 1)
    member.owner.core.goOn()
    #expect(member.asked().map { $0.contains("$/cancelRequest") } == [true])
    member.answer("")
    member.edge.flush(into: &member.edgeSink)
    let heard = String(decoding: member.edgeSink.toClients[member.client.slot] ?? [], as: UTF8.self)
    #expect(heard.contains("-32800"))
  }

  @Test func `a client that ends is heard to its end, though its slot is another's by then`() {
    var member = bench()
    for key in 1...5 { member.says(#"{"jsonrpc":"2.0","method":"m","task":{"key":"k\#(key)"}}"# + "\n") }
    member.edge.clientEnded(member.client)
    let batch = member.mail()!
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    let next = member.edge.clientConnected(listener: 0)!
    #expect(next == member.client)
    let later = mail(&member, 6...6)
    _ = member.owner.core.putOff(later, from: 0, behind: 0)
    while member.owner.core.isBehind { member.owner.core.goOn() }
    #expect(asked(&member) == 6)
    let leftovers = member.owner.core.leftovers
    #expect(leftovers.contains("1 clients"))
  }

  @Test func `of one that is gone nothing more is handled`() {
    var member = bench()
    let batch = mail(&member, 1...5)
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    member.edge.clientDisconnected(member.client)
    member.owner.core.heardAll(of: member.mail()!, from: 0)
    member.owner.core.flush(into: &member.owner.sink)
    #expect(asked(&member) == 0 && !member.owner.core.isBehind && member.owner.core.mailByteCount == 0)
  }

  @Test func `of what a loop told nothing is kept but what waits`() {
    var member = bench()
    var batch = mail(&member, 1...3)
    func place() -> UInt { unsafe batch.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    batch.bytes.reserveCapacity(batch.bytes.count + 1)
    let before = place()
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    // It would be another place if somebody else kept these bytes.
    batch.bytes.append(0)
    #expect(place() == before)
    while member.owner.core.isBehind { member.owner.core.goOn() }
    #expect(asked(&member) == 3)
  }

  @Test func `what comes while some of it has been handled is handled behind it, and all as it was asked`() {
    var member = bench(messages: 1)
    let batch = mail(&member, 1...3)
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    member.owner.core.goOn()
    let long = String(repeating: "x", count: 20_000)
    member.says(
      (4...6).map { line("\($0)", params: #"["\#(long)\#($0)"]"#, task: #"{"key":"k\#($0)"}"#) }.joined())
    let later = member.mail()!
    _ = member.owner.core.putOff(later, from: 0, behind: 0)
    while member.owner.core.isBehind { member.owner.core.goOn() }
    let asked = member.asked()
    #expect(asked.count == 6 && member.owner.core.mailByteCount == 0)
    for (number, text) in zip(4...6, asked.dropFirst(3)) {
      #expect(text.contains(#"["\#(long)\#(number)"]"#))
    }
  }

  @Test func `no client's requests wait in the place of all others'`() {
    var member = bench(messages: 1)
    let long = String(repeating: "x", count: 1024 * 1024)
    member.says(line("1", params: #"["\#(long)"]"#, task: #"{"key":"k1"}"#))
    let flood = member.mail()!
    _ = member.owner.core.putOff(flood, from: 0, behind: 0)
    for _ in 1..<70 { _ = member.owner.core.putOff(flood, from: 0, behind: 1) }
    let held = member.owner.core.mailByteCount
    #expect((GatewayCore.mostMailBytes / 2..<GatewayCore.mostMailBytes * 5 / 8).contains(held))
    member.owner.core.flush(into: &member.owner.sink)
    let heard = member.owner.sink.toClients.values.map { String(decoding: $0, as: UTF8.self) }
    #expect(heard.count == 1 && heard[0].contains("too much of this connection waits"))
    // It can look and take back all the same, but not for ever.
    let key = String(repeating: "k", count: 500)
    member.says(#"{"jsonrpc":"2.0","id":2,"method":"lastword.inspect","params":{"key":"\#(key)"}}"# + "\n")
    let look = member.mail()!
    _ = member.owner.core.putOff(look, from: 0, behind: 0)
    #expect(member.owner.core.mailByteCount > held)
    for _ in 0..<20_000 { _ = member.owner.core.putOff(look, from: 0, behind: 0) }
    let heldOfAll = member.owner.core.mailByteCount
    #expect((GatewayCore.mostMailBytes * 5 / 8..<GatewayCore.mostMailBytes * 3 / 4).contains(heldOfAll))
    member.says(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
    let cancel = member.mail()!
    _ = member.owner.core.putOff(cancel, from: 0, behind: 0)
    let lost = member.owner.core.counters.notificationsLost
    #expect(lost == 1 && member.owner.core.mailByteCount == heldOfAll)
    member.says(#"{"jsonrpc":"2.0","id":3,"method":"lastword.cancel","params":{"id":1}}"# + "\n")
    let answered = member.mail()!
    _ = member.owner.core.putOff(answered, from: 0, behind: 0)
    #expect(member.owner.core.mailByteCount > heldOfAll)
    // Another one has room.
    let other = member.edge.clientConnected(listener: 0)!
    let bytes = Array(line("1", "other", task: #"{"key":"k2"}"#).utf8)
    member.edge.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: other)
    let others = member.mail()!
    _ = member.owner.core.putOff(others, from: 0, behind: 0)
    for _ in 1...2 { member.owner.core.goOn() }
    #expect(member.asked().filter { $0.contains("other") }.count == 1)
  }

  @Test func `nor of those whose loop cannot be reached any more`() {
    var member = bench()
    let batch = mail(&member, 1...5)
    _ = member.owner.core.putOff(batch, from: 0, behind: 0)
    _ = member.owner.core.placeIsDown(0)
    #expect(asked(&member) == 0 && !member.owner.core.isBehind && member.owner.core.mailByteCount == 0)
  }
}
