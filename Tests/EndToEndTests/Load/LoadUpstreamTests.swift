import Foundation
import TestSupport
import Testing

/// `lastword load upstream`, spoken to without a gateway.
@Suite struct LoadUpstreamTests {
  private func start(_ behaviour: String) throws -> (program: RunningProgram, address: String) {
    let program = try RunningProgram(Programs.lastword, ["load", "upstream", "--behaviour", behaviour])
    return (program, try #require(program.outputLine()))
  }

  private func upstream(_ behaviour: String) throws -> (RunningProgram, LineSocket) {
    let (program, address) = try start(behaviour)
    return (program, try LineSocket(address))
  }

  private func ask(_ id: Int, key: Int = 0, policy: String = "cancel", run: Int = 1) -> String {
    let params = #"{"n":\#(id * 10),"run":\#(run),"key":\#(key),"policy":"\#(policy)","pad":"xx"}"#
    return #"{"jsonrpc":"2.0","id":\#(id),"method":"echo","params":\#(params)}"#
  }

  private func cancel(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#
  }

  private func result(_ id: Int, _ arrival: Int, _ newest: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":{"n":\#(id * 10),"arrival":\#(arrival),"newest":\#(newest)}}"#
  }

  @Test(arguments: ["</dev/null", "<'\(Programs.repository)/Package.swift'", "<&-"])
  func `it stops with an input that is at its end, whatever that is`(input: String) throws {
    let command = "'\(Programs.lastword)' load upstream --until-end-of-input \(input)"
    let program = try RunningProgram("/bin/sh", ["-c", command])
    #expect(program.exitStatus() == 0)
    #expect(program.errorLine() == nil)
  }

  @Test func `each key of each run has its arrivals`() throws {
    let (program, client) = try upstream("echo")
    #expect(try client.call(ask(1)) == result(1, 1, 1))
    #expect(try client.call(ask(2, policy: "wait")) == result(2, 2, 1))
    #expect(try client.call(ask(3)) == result(3, 3, 3))
    #expect(try client.call(ask(4, key: 1, policy: "wait")) == result(4, 1, 0))
    #expect(try client.call(ask(5, run: 2)) == result(5, 1, 1))
    program.kill()
  }

  @Test func `what comes behind a later owner's requests is refused by its fence`() throws {
    let (program, client) = try upstream("echo")
    func ask(_ id: Int, partition: Int, epoch: Int) -> String {
      let fence = #"{"partition":\#(partition),"epoch":\#(epoch),"generation":\#(epoch << 33 + id)}"#
      return self.ask(id, key: partition).dropLast() + #","fence":\#(fence)}"#
    }
    #expect(try client.call(ask(1, partition: 3, epoch: 5)) == result(1, 1, 1))
    #expect(try client.call(ask(2, partition: 3, epoch: 4)).contains("fenced"))
    #expect(try client.call(ask(3, partition: 4, epoch: 4)) == result(3, 1, 1))
    #expect(try client.call(ask(4, partition: 3, epoch: 5)) == result(4, 2, 2))
    let report = #"{"jsonrpc":"2.0","id":5,"method":"load.report","params":{"run":1}}"#
    #expect(try client.call(report).contains(#""fenced":1"#))
    program.kill()
  }

  @Test func `pieces come before the result, as many as were asked for`() throws {
    let (program, client) = try upstream("echo")
    let params = #"{"n":7,"run":1,"key":0,"policy":"cancel","pieces":2,"pieceMs":1,"piecePad":3}"#
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":\#(params)}"#)
    for place in 0..<2 {
      let value = #"{"n":7,"arrival":1,"newest":1,"i":\#(place),"pad":"xxx"}"#
      #expect(
        try client.expect()
          == #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":1,"value":\#(value)}}"#)
    }
    #expect(try client.expect() == #"{"jsonrpc":"2.0","id":1,"result":{"n":7,"arrival":1,"newest":1}}"#)
    program.kill()
  }

  @Test func `a result names what arrived while it was worked on`() throws {
    let (program, client) = try upstream("slow:30")
    for id in 1...2 { try client.send(ask(id)) }
    #expect(try [client.expect(), client.expect()] == [result(1, 1, 2), result(2, 2, 2)])
    program.kill()
  }

  @Test func `what is slow stops when it is told to`() throws {
    let (program, client) = try upstream("slow:60000")
    try client.send(ask(1))
    #expect(try client.call(cancel(1)).contains(#""id":1,"error":{"code":-32800"#))
    let work = try client.call(#"{"jsonrpc":"2.0","id":9,"method":"load.report","params":{"run":1}}"#)
    #expect(work.contains(#""requests":1,"computed":0,"cancelled":1"#) && work.contains(#""running":0"#))
    program.kill()
  }

  @Test(arguments: ["stubborn:30", "late:30"])
  func `what is stubborn or late answers all the same`(behaviour: String) throws {
    let (program, client) = try upstream(behaviour)
    try client.send(ask(1))
    #expect(try client.call(cancel(1)) == result(1, 1, 1))
    program.kill()
  }

  @Test func `twice is twice`() throws {
    let (program, client) = try upstream("twice:1")
    try client.send(ask(1))
    #expect(try [client.expect(), client.expect()] == [result(1, 1, 1), result(1, 1, 1)])
    program.kill()
  }

  @Test func `who watches a run hears of its cancels`() throws {
    let (program, address) = try start("slow:60000")
    let (client, watcher) = try (LineSocket(address), LineSocket(address))
    let watch = #"{"jsonrpc":"2.0","id":1,"method":"load.watch","params":{"run":1}}"#
    #expect(try watcher.call(watch) == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    try client.send(ask(2))
    try client.send(cancel(2))
    let heard = try watcher.expect()
    #expect(heard.hasPrefix(#"{"jsonrpc":"2.0","method":"load.cancels","params":[20,"#))
    #expect(heard.hasSuffix(",0]}"))
    program.kill()
  }

  /// Half a second or so lies between two answers; which comes first is always the same.
  @Test func `who watches hears when a later request's answer had superseded what is cancelled`() throws {
    let (program, address) = try start("jitter:0..20000")
    let (client, watcher) = try (LineSocket(address), LineSocket(address))
    _ = try watcher.call(#"{"jsonrpc":"2.0","id":1,"method":"load.watch","params":{"run":1}}"#)
    for id in 1...40 { try client.send(ask(id, policy: "onAnswer")) }
    let first = try #require(try Reply(client.expect()).id)
    for id in 1...40 where id != first { try client.send(cancel(id)) }
    var (earlier, later) = (0, 0)
    while earlier + later < 39 {
      for told in try cancels(in: watcher.expect()) {
        if told.overtaken == 0 { later += 1 } else { earlier += 1 }
        #expect((told.number < first * 10) == (told.overtaken != 0))
        #expect(told.overtaken < told.heard)
      }
    }
    #expect(earlier == first - 1 && earlier > 0)
    program.kill()
  }

  private func cancels(in line: String) throws -> [(number: Int, heard: Int, overtaken: Int)] {
    let numbers = try #require(line.split(separator: "[").last).split { !$0.isNumber }.compactMap { Int($0) }
    return stride(from: 0, to: numbers.count, by: 3).map { (numbers[$0], numbers[$0 + 1], numbers[$0 + 2]) }
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":"a","method":"echo"}"#,
    #"{"jsonrpc":"2.0","id":1.5,"method":"echo","params":[]}"#,
  ])
  func `an id that is no number is refused`(line: String) throws {
    let (program, client) = try upstream("echo")
    #expect(try client.call(line).contains("-32600"))
    #expect(try client.call(ask(1)) == result(1, 1, 1))
    program.kill()
  }

  @Test func `params of all kinds are answered`() throws {
    let (program, client) = try upstream("echo")
    for params in [
      "[]", "{}", #"{"n":-1,"key":"x","policy":7,"run":null}"#, #"{"key":99999999999999999999}"#,
    ] {
      let line = #"{"jsonrpc":"2.0","id":1,"method":"echo","params":\#(params)}"#
      #expect(try client.call(line).contains(#""id":1,"result":{"n":0"#))
    }
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#)
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}"#)
    #expect(try client.call(ask(1)) == result(1, 1, 1))
    program.kill()
  }
}
