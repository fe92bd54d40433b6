import GatewayCore
import Testing

/// `rpc.discover`, whose answer is far longer than the question.
@Suite struct DiscoveryTests {
  private let question = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#

  @Test func `the document comes in one line, and a notification gets none`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"rpc.discover"}"# + "\n", from: client)
    #expect(bench.heard(client) == [])
    bench.send(question + "\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1)
    #expect(heard.first?.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"openrpc":"1.3."#) == true)
  }

  @Test(arguments: [true, false])
  func `a client that does not read cannot fill memory with it`(inBatch: Bool) {
    var configuration = GatewayConfiguration()
    configuration.clientOutputSoftBytes = 50_000
    var bench = Bench(configuration)
    let client = bench.connect()
    let questions = Array(repeating: question, count: 100)
    bench.send(
      inBatch ? "[" + questions.joined(separator: ",") + "]\n" : questions.joined(separator: "\n") + "\n",
      from: client)
    let heard = bench.heard(client).joined()
    #expect(heard.utf8.count < 100_000)
    #expect(heard.split(separator: #""code":-32082"#).count > 90)
    bench.send(question + "\n", from: client)
    #expect(bench.heard(client).first?.contains(#""result""#) == true)
  }
}
