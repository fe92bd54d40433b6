import GatewayCore
import Testing

/// What a client gets of several loops is written together.
@Suite struct HoldingBackTests {
  /// Its first id.
  private static let id = 1 << 30 + 1
  private static let answer = #"{"jsonrpc":"2.0","id":1,"result":5}"# + "\n"
  private static let pong = #"{"jsonrpc":"2.0","id":2,"result":null}"# + "\n"

  private func ask(_ member: inout MemberBench) { _ = member.asks(line("1", task: #"{"key":"k"}"#)) }

  private func ping(_ member: inout MemberBench, _ id: String = "2") {
    member.says(#"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.ping"}"# + "\n")
  }

  /// What its client is written in a turn in which it may have to wait.
  private func written(_ member: inout MemberBench, to client: ClientID? = nil) -> String {
    member.edge.holdBack()
    return flushed(&member, to: client)
  }

  private func flushed(_ member: inout MemberBench, to client: ClientID? = nil) -> String {
    member.edge.flush(into: &member.edgeSink)
    let bytes = member.edgeSink.toClients.removeValue(forKey: (client ?? member.client).slot) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `what a client gets waits for what other loops answer it`() {
    var member = MemberBench()
    ask(&member)
    ping(&member)
    #expect(written(&member) == "")
    let holdsBack = member.edge.holdsBack
    #expect(holdsBack)
    member.answer(result("\(Self.id)", "5") + "\n")
    #expect(written(&member) == Self.pong + Self.answer)
  }

  @Test func `who waits for no other loop gets it at once`() {
    var member = MemberBench()
    ping(&member)
    #expect(written(&member) == Self.pong)
    ask(&member)
    member.answer(result("\(Self.id)", "5") + "\n")
    #expect(written(&member) == Self.answer)
    let holdsBack = member.edge.holdsBack
    #expect(!holdsBack)
  }

  @Test func `nobody waits longer than the loop says`() {
    var member = MemberBench()
    ask(&member)
    ping(&member)
    #expect(written(&member) == "")
    #expect(flushed(&member) == "")
    member.edge.releaseHeldBack()
    let holdsBack = member.edge.holdsBack
    #expect(!holdsBack)
    #expect(flushed(&member) == Self.pong)
  }

  @Test func `what does not wait is written with what has waited`() {
    var member = MemberBench()
    ask(&member)
    ping(&member)
    #expect(written(&member) == "")
    ping(&member)
    #expect(flushed(&member) == Self.pong + Self.pong)
    member.edge.releaseHeldBack()
    #expect(flushed(&member) == "")
  }

  @Test func `who is read no more hears why at once`() {
    var member = MemberBench()
    let request = #"{"jsonrpc":"2.0","id":1,"method":"m","task":{"key":"k"}}"#
    _ = member.asks("Content-Length: \(request.utf8.count)\r\n\r\n\(request)")
    member.says("Content-Length: many\r\n\r\n")
    #expect(written(&member).contains("-32700"))
    #expect(member.edgeSink.closed == [member.client.slot])
  }

  @Test func `16 KiB are written at once`() {
    var member = MemberBench()
    ask(&member)
    // A reply of 64 bytes.
    let id = #""\#(String(repeating: "x", count: 64 - Self.pong.utf8.count - 1))""#
    for _ in 0..<255 { ping(&member, id) }
    #expect(written(&member) == "")
    ping(&member, id)
    #expect(written(&member).utf8.count == 16 * 1024)
  }

  @Test func `what waited for who is gone is nobody else's`() {
    var member = MemberBench()
    ask(&member)
    ping(&member)
    #expect(written(&member) == "")
    member.edge.clientDisconnected(member.client)
    _ = flushed(&member)
    let next = member.edge.clientConnected(listener: 0)!
    #expect(next.slot == member.client.slot)
    member.edge.releaseHeldBack()
    #expect(flushed(&member, to: next) == "")
  }
}
