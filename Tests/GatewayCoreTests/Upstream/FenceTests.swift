import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// In a fleet upstreams that ask for it are told by what they can refuse what comes too late.
@Suite struct FenceTests {
  /// Of the so-many-eth task.
  private func fence(_ number: UInt64) -> String {
    // Two loops count in steps of two.
    let generation = MemberBench.epoch << 33 + 2 * number
    return #""fence":{"partition":\#(partition),"epoch":\#(MemberBench.epoch),"generation":\#(generation)}"#
  }

  /// Of the key `k`.
  private let partition = 2
  /// The first id of the second of two loops.
  private let id: UInt64 = 1 << 30 + 1

  @Test func `what has a key says its partition, epoch and generation`() {
    var member = MemberBench()
    #expect(
      member.asks(line("1", params: "[1]", task: #"{"key":"k","policy":"wait"}"#)) == [
        #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[1],\#(fence(1))}"#
      ])
    #expect(
      member.asks(#"{"jsonrpc":"2.0","method":"n","task":{"key":"k","policy":"concurrent"}}"# + "\n") == [
        #"{"jsonrpc":"2.0","method":"n",\#(fence(2))}"#
      ])
  }

  @Test func `behind what is left of the time, and in a frame of its length`() {
    var member = MemberBench {
      $0.upstreams[0].passesTask = true
      $0.upstreams[0].framing = .contentLength
    }
    let message = #"{"jsonrpc":"2.0","id":\#(id),"method":"m","task":{"timeoutMs":900},\#(fence(1))}"#
    let head = member.asks(line("1", task: #"{"key":"k","timeoutMs":900}"#))
    #expect(head.first == "Content-Length: \(message.utf8.count)\r")
    #expect(String(decoding: member.owner.sink.toUpstream, as: UTF8.self) == message)
  }

  @Test func `in an exchange, too`() {
    var member = MemberBench { $0.upstreams[0].shape = .exchanges }
    _ = member.asks(line("1", task: #"{"key":"k"}"#))
    #expect(
      member.owner.sink.exchanges.map(\.message) == [
        #"{"jsonrpc":"2.0","id":\#(id),"method":"m",\#(fence(1))}"#
      ])
  }

  @Test func `what undoes a request has that one's`() {
    var member = MemberBench { $0.routes = [Route(method: "join", compensation: "leave")] }
    _ = member.asks(line("1", "join", task: #"{"key":"k"}"#))
    _ = member.asks(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
    member.owner.answer(result("\(id)", "5") + "\n")
    #expect(
      member.owner.asked() == [
        #"{"jsonrpc":"2.0","id":\#(id + 131_072),"method":"leave","params":{"result":5},\#(fence(1))}"#
      ])
  }

  @Test func `in no fleet there is none`() {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].passesFence = true
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m"}"#])
  }
}
