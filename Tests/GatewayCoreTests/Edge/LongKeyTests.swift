import GatewayCore
import JSONRPC
import Testing

/// Keys that a route finds in the params, and that are beyond the bound.
@Suite struct LongKeyTests {
  private func bench(prefix: String = "") -> Bench {
    var configuration = GatewayConfiguration()
    configuration.keyBytes = 32
    var route = Route(method: "open")
    route.key = try? JSONPointer("/uri")
    route.keyPrefix = Array(prefix.utf8)
    configuration.routes = [route]
    return Bench(configuration)
  }

  private func open(_ id: Int, _ uri: String) -> String {
    line("\(id)", "open", params: #"{"uri":"\#(uri)"}"#)
  }

  @Test(arguments: ["", "open:"])
  func `a long key stands for what it says, and for nothing else`(prefix: String) {
    var bench = bench(prefix: prefix)
    let client = bench.connect()
    let path = String(repeating: "あ", count: 20)
    bench.send(open(1, path + "a") + open(2, path + "b"), from: client)
    #expect(bench.heard(client) == [])
    bench.send(open(3, path + "a"), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":1,"error":{"code":-32080"#))
    // The beginning, whole characters, and 16 digits.
    #expect(heard[0].firstMatch(of: /"key":"(open:)?あ+[0-9a-f]{16}"/) != nil)
  }

  @Test func `its escapes do not count`() {
    var bench = bench()
    let client = bench.connect()
    let path = String(repeating: "あ", count: 20)
    bench.send(open(1, path), from: client)
    bench.send(
      open(2, path.unicodeScalars.map { "\\u" + String($0.value, radix: 16) }.joined()), from: client)
    #expect(bench.heard(client).first?.contains(#""id":1,"error":{"code":-32080"#) == true)
  }

  @Test func `one at the bound is as it is`() {
    var bench = bench()
    let client = bench.connect()
    let key = String(repeating: "x", count: 32)
    bench.send(open(1, key) + open(2, key), from: client)
    #expect(bench.heard(client).first?.contains("\"key\":\"\(key)\"") == true)
  }

  @Test func `a route may have one key for all its requests`() {
    var configuration = GatewayConfiguration()
    var route = Route(method: "symbols")
    route.keyPrefix = Array("symbols".utf8)
    route.hasConstantKey = true
    configuration.routes = [route]
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1", "symbols", params: "[1]") + line("2", "symbols"), from: client)
    #expect(bench.heard(client).first?.contains(#""key":"symbols""#) == true)
  }
}
