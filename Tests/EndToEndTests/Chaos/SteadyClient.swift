import Foundation
import GatewayCore
import HotData
import LoadTest
import TaskStore
import TestSupport

/// One client of a load that a gateway is told to stop or to reload under: keeps so many requests open, judges every
/// reply, and knows afterwards what was never answered.
final class SteadyClient: @unchecked Sendable {
  static let openRequests = 16
  /// Of each client, each with keys of its own.
  static let keys = 6

  let number: Int
  let policy: DuplicatePolicy?
  // Used by the client's own thread, and by others once that has ended, or under the lock.
  private(set) var faults: [String] = []
  private(set) var counts: [Int: Int] = [:]
  private let lock = NSLock()
  private var sentCount = 0
  private let address: String
  private let progress: ChaosProgress
  private var random: SplitMix64
  private var oracle = LoadOracle(
    connections: 1, keys: SteadyClient.keys, ordersKeys: RunningGateway.loops == 1)
  private var nextNumber: UInt64 = 0
  private var unanswered: Set<UInt64> = []

  init(_ number: Int, _ address: String, policy: DuplicatePolicy?, seed: UInt64, _ progress: ChaosProgress) {
    self.number = number
    self.policy = policy
    self.address = address
    self.progress = progress
    random = SplitMix64(seed: seed)
  }

  /// How many requests the kernel has taken for certain, as others may ask at any time.
  var surelySentCount: Int { lock.withLock { sentCount } }

  /// The numbers of those that were not answered, oldest first.
  var unansweredNumbers: [Int] { unanswered.sorted().map(Int.init) }

  func run() {
    do {
      try talk(over: LineSocket(address))
    } catch {
      faults.append("client \(number): \(error)")
    }
    progress.ended()
  }

  /// To the end of the load and the last answer, or to that of the connection.
  private func talk(over socket: LineSocket) throws {
    var mayAsk = true
    while true {
      if mayAsk, progress.mayGoOn {
        // There may be answers to read even if nothing more can be sent.
        mayAsk = (try? ask(over: socket)) != nil
      } else if unanswered.isEmpty, !progress.mayGoOn {
        return
      }
      guard let line = try socket.receive() else {
        if socket.wasReset { faults.append("client \(number) was reset") }
        return
      }
      judge(line)
    }
  }

  private func ask(over socket: LineSocket) throws {
    var lines = ""
    while unanswered.count < Self.openRequests { lines += nextRequest() }
    guard !lines.isEmpty else { return }
    try socket.send(bytes: Array(lines.utf8))
    lock.withLock { sentCount = Int(nextNumber) }
  }

  private func nextRequest() -> String {
    nextNumber += 1
    let key = Int.random(in: 0..<Self.keys, using: &random)
    oracle.sent(OpenRequest(number: nextNumber, connection: 0, key: key, policy: policy))
    unanswered.insert(nextNumber)
    let milliseconds = Int.random(in: 0...20, using: &random)
    let task = policy.map { #","task":{"key":"\#(number):\#(key)","policy":"\#($0.name)"}"# } ?? ""
    let params = #"{"marker":\#(marker(of: Int(nextNumber))),"ms":\#(milliseconds)}"#
    let method = Bool.random(using: &random) ? "echo" : "sleep"
    return #"{"jsonrpc":"2.0","id":\#(nextNumber),"method":"\#(method)","params":\#(params)\#(task)}"# + "\n"
  }

  /// A number that no request of any client had before.
  func marker(of request: Int) -> Int { number * 1_000_000_000 + request }

  private func judge(_ line: String) {
    let head = Array(line.utf8).withUnsafeBytes { ReplyHead($0) }
    counts[head.code ?? 0, default: 0] += 1
    unanswered.remove(UInt64(head.id))
    let reply = head.code.map(OracleReply.init) ?? .result(ResultClaims(number: echo(line)))
    if let fault = oracle.received(reply, to: UInt64(head.id), on: 0) {
      faults.append("client \(number), \(policy?.name ?? "no key"): \(fault)")
    }
    progress.replied()
  }

  /// The request that the result is of.
  private func echo(_ line: String) -> UInt64 {
    let marker = line.firstMatch(of: /"marker":(\d+)/).flatMap { UInt64($0.1) } ?? 0
    return marker &- UInt64(number) * 1_000_000_000
  }
}

/// Several of them for each policy and for requests without a key.
struct SteadyLoad {
  static let clientsPerPolicy = 4

  let progress = ChaosProgress()
  let clients: [SteadyClient]

  init(on gateway: RunningGateway, seed: UInt64 = 1) {
    let policies: [DuplicatePolicy?] = DuplicatePolicy.allCases.map { $0 } + [nil]
    let (address, progress) = (gateway.address, progress)
    clients = (0..<policies.count * Self.clientsPerPolicy).map { number in
      SteadyClient(
        number, address, policy: policies[number % policies.count], seed: seed &+ UInt64(number), progress)
    }
    progress.begin(clients.count)
    for client in clients { Thread { client.run() }.start() }
  }

  /// Lets each client get what it is owed, and waits for all of them.
  func end() { progress.end() }

  var faults: [String] { clients.flatMap(\.faults) }

  /// How many replies there were by their code; 0: a result.
  func counts(of isMeant: (SteadyClient) -> Bool = { _ in true }) -> [Int: Int] {
    clients.filter(isMeant).map(\.counts).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
  }
}
