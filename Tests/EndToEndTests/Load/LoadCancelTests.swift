import Foundation
import TestSupport
import Testing

/// How long `lastword load` says that cancels take, when a gateway and an upstream of the test's own tell it stories.
@Suite struct LoadCancelTests {
  /// What upstream tells of one cancel, in seconds from when it is told; an answer had overtaken it then, or none had.
  private struct Told {
    var number: Int
    var heardSeconds: Int
    var overtakenSeconds: Int?
  }

  private static let inTime = 100

  /// The seconds of the cancels that were measured, when all requests but the last are answered with an error.
  private func measured(_ arguments: [String], requests: Int, code: Int, _ told: [Told]) throws -> [Int] {
    let (gateway, upstream) = try (ListeningSocket(), ListeningSocket())
    let directory = try TemporaryDirectory()
    let load = try RunningProgram(
      Programs.lastword,
      [
        "load", "--to", "127.0.0.1:\(gateway.port)", "--upstream-at", "127.0.0.1:\(upstream.port)",
        "--connections", "1", "--depth", "\(requests)", "--requests", "\(requests)", "--keys", "1", "--quiet",
        "--json", directory.path + "/run.json",
      ] + arguments)
    let (client, watcher) = try (gateway.accept(), upstream.accept())
    _ = try watcher.expect()
    try watcher.send(#"{"jsonrpc":"2.0","id":1,"result":null}"#)
    for _ in 1...requests { _ = try client.expect() }
    if arguments.contains("--cancels") { for _ in 1...requests { _ = try client.expect() } }
    try watcher.send(
      #"{"jsonrpc":"2.0","method":"load.cancels","params":[\#(numbers(told, at: now()))]}"#)
    for id in 1..<requests {
      try client.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"no"}}"#)
    }
    try client.send(#"{"jsonrpc":"2.0","id":\#(requests),"result":{"n":\#(requests)}}"#)
    _ = try watcher.expect()
    try watcher.send(#"{"jsonrpc":"2.0","id":2,"result":{"requests":\#(requests),"running":0}}"#)
    #expect(load.exitStatus() == 0)
    return try seconds(in: directory.path + "/run.json")
  }

  private func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  private func numbers(_ told: [Told], at now: Int) -> String {
    let second = 1_000_000_000
    let numbers = told.flatMap {
      [$0.number, now + $0.heardSeconds * second, $0.overtakenSeconds.map { now + $0 * second } ?? 0]
    }
    return numbers.map(String.init).joined(separator: ",")
  }

  private func seconds(in path: String) throws -> [Int] {
    let run = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
    let histograms = try #require(run?["histograms"] as? [String: Any])
    let cancel = try #require(histograms["cancel"] as? [String: Any])
    let counts = try #require(cancel["nanosecondsAndCounts"] as? [[Int]])
    return counts.flatMap {
      Array(repeating: Int((Double($0[0]) / 1e9).rounded()), count: $0[1])
    }
  }

  @Test(arguments: ["cancel", "cancelAndWait"])
  func `each of several that one request superseded counts from its sending`(policy: String) throws {
    let told = (1...3).map { Told(number: $0, heardSeconds: Self.inTime * $0) }
    let seconds = try measured(["--policy", policy], requests: 4, code: -32080, told)
    #expect(seconds == [Self.inTime, 2 * Self.inTime, 3 * Self.inTime])
  }

  @Test func `what an answer superseded counts from that answer`() throws {
    let told = [
      Told(number: 1, heardSeconds: Self.inTime, overtakenSeconds: Self.inTime - 10),
      Told(number: 2, heardSeconds: Self.inTime, overtakenSeconds: Self.inTime - 20),
    ]
    #expect(try measured(["--policy", "onAnswer"], requests: 3, code: -32080, told) == [10, 20])
  }

  @Test func `what the client took back counts from its cancel, whatever else came`() throws {
    let told = [Told(number: 1, heardSeconds: Self.inTime, overtakenSeconds: Self.inTime - 10)]
    let arguments = ["--policy", "onAnswer", "--cancels", "1", "--cancel-after-ms", "1"]
    #expect(try measured(arguments, requests: 2, code: -32800, told) == [Self.inTime])
  }

  @Test func `cancels of nothing, before their time and told twice are not measured`() throws {
    let told = [
      Told(number: 0, heardSeconds: Self.inTime), Told(number: 77, heardSeconds: Self.inTime),
      Told(number: 1, heardSeconds: -Self.inTime), Told(number: 2, heardSeconds: Self.inTime),
      Told(number: 2, heardSeconds: Self.inTime), Told(number: 4, heardSeconds: Self.inTime),
    ]
    #expect(try measured(["--policy", "cancel"], requests: 4, code: -32080, told) == [Self.inTime])
  }

  @Test func `what waits is superseded by nothing that upstream would be told of`() throws {
    let told = [Told(number: 1, heardSeconds: Self.inTime)]
    #expect(try measured(["--policy", "keepLatest"], requests: 3, code: -32080, told) == [])
  }
}
