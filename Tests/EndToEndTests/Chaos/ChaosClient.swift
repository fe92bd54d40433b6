import Foundation
import GatewayCore
import HotData
import LoadTest
import TaskStore
import TestSupport

/// One client of a load: keeps so many requests open, and judges every reply.
final class ChaosClient: @unchecked Sendable {
  static let openRequests = 8
  /// More than that: not every request is to meet an older one.
  static let keys = 12
  static let timeoutMilliseconds = 200

  // Used by the client's own thread, and by others once that has ended.
  private(set) var faults: [String] = []
  private(set) var counts: [String: Int] = [:]
  private let number: Int
  private let address: String
  private let policy: DuplicatePolicy?
  private let mayBeCutOff: Bool
  private let progress: ChaosProgress
  private var random: SplitMix64
  private var sequence: UInt64 = 0
  private var oracle: LoadOracle

  init(
    _ number: Int, _ address: String, policy: String?, seed: UInt64, mayBeCutOff: Bool,
    _ progress: ChaosProgress
  ) {
    self.number = number
    self.address = address
    self.policy = policy.map { name in DuplicatePolicy.allCases.first { $0.name == name }! }
    self.mayBeCutOff = mayBeCutOff
    self.progress = progress
    random = SplitMix64(seed: seed)
    oracle = LoadOracle(connections: 1, keys: Self.keys, ordersKeys: RunningGateway.loops == 1)
  }

  func run() {
    do {
      while progress.mayGoOn { try talk() }
    } catch {
      faults.append("client \(number): \(error)")
    }
    progress.ended()
  }

  /// One connection, to its end or to that of the load.
  private func talk() throws {
    let socket = try LineSocket(address)
    oracle = LoadOracle(connections: 1, keys: Self.keys, ordersKeys: RunningGateway.loops == 1)
    while true {
      if progress.mayGoOn {
        // One that is being cut off is not read from any more.
        do { try ask(over: socket) } catch { guard mayBeCutOff else { throw error } }
      } else if oracle.open.count == 0 {
        return
      }
      guard let line = try socket.receive() else {
        if !mayBeCutOff { faults.append("client \(number) was cut off") }
        return
      }
      judge(line)
    }
  }

  // MARK: Asking

  private func ask(over socket: LineSocket) throws {
    var lines = ""
    while oracle.open.count < Self.openRequests { lines += nextRequest() }
    if !lines.isEmpty { try socket.send(bytes: Array(lines.utf8)) }
  }

  private func nextRequest() -> String {
    sequence += 1
    let key = Int.random(in: 0..<Self.keys, using: &random)
    oracle.sent(OpenRequest(number: sequence, connection: 0, key: key, policy: policy))
    let method = ["echo", "echo", "sleep", "stubborn"].randomElement(using: &random)!
    let milliseconds = Int.random(in: 0...30, using: &random)
    var task = #""timeoutMs":\#(Self.timeoutMilliseconds)"#
    if let policy { task += #","key":"\#(number):\#(key)","policy":"\#(policy.name)""# }
    let params = #"{"marker":\#(marker),"ms":\#(milliseconds)}"#
    return
      #"{"jsonrpc":"2.0","id":\#(sequence),"method":"\#(method)","params":\#(params),"task":{\#(task)}}"#
      + "\n"
  }

  /// A number that no request of any client had before.
  private var marker: UInt64 { UInt64(number) * 1_000_000_000 + sequence }

  // MARK: Judging

  private func judge(_ line: String) {
    let head = Array(line.utf8).withUnsafeBytes { ReplyHead($0) }
    counts[head.code.map { "\($0)" } ?? "result", default: 0] += 1
    let reply = head.code.map(OracleReply.init) ?? .result(ResultClaims(number: echo(line)))
    let fault = oracle.received(reply, to: UInt64(head.id), on: 0)
    if let fault { faults.append("client \(number), \(policy?.name ?? "no key"): \(fault)") }
    // What is refused at once says nothing of upstream, and comes as fast as it is asked for.
    if ![-32080, -32081].contains(head.code) { progress.replied() }
    guard [nil, -32080, -32081, -32083, -32084].contains(head.code) else {
      return faults.append("client \(number): \(line.prefix(300))")
    }
  }

  /// The request that the result is of.
  private func echo(_ line: String) -> UInt64 {
    let marker = line.firstMatch(of: /"marker":(\d+)/).flatMap { UInt64($0.1) } ?? 0
    return marker &- UInt64(number) * 1_000_000_000
  }
}
