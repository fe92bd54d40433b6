import Foundation
import GatewayCore
import HotData
import TestSupport

/// Kills, stops and revives upstreams, as a seed says.
final class ChaosHavoc {
  /// A server that listens at an address of its own, whatever happens to it.
  private final class Server {
    let command: (String?) -> [String]
    private(set) var address: String?
    private(set) var program: RunningProgram?
    var isStopped = false

    init(_ command: @escaping (String?) -> [String]) throws {
      self.command = command
      try start()
    }

    func start() throws {
      let program = try RunningProgram(Programs.python, command(address))
      guard let line = program.outputLine() else { throw NotStarted(says: program.errorLine() ?? "") }
      address = line
      self.program = program
    }

    func kill() {
      program?.kill()
      _ = program?.exitStatus()
      (program, isStopped) = (nil, false)
    }

    func signal(_ signal: Int32) {
      program?.signal(signal)
      isStopped = signal == SIGSTOP
    }
  }

  private var servers: [Server] = []
  private var stoppedChildren: Set<Int32> = []
  private var random: SplitMix64
  /// What it did, and how often.
  private(set) var acts: [String: Int] = [:]

  /// - Parameter servers: how many there are to be; 0 where the gateway starts its children itself.
  init(
    _ kind: UpstreamKind, servers count: Int, _ record: UpstreamRecord, in directory: TemporaryDirectory,
    seed: UInt64
  )
    throws
  {
    random = SplitMix64(seed: seed)
    for _ in 0..<count { servers.append(try Server { kind.command(record, in: directory, at: $0) }) }
  }

  var addresses: [String] { servers.map { $0.address! } }
  var processes: [Int32] { servers.compactMap { $0.program?.identifier } }

  /// Replies to wait for until the next act.
  func nextPause() -> Int { Int.random(in: 5...250, using: &random) }

  func act(on gateway: RunningGateway) throws {
    if let server = servers.randomElement(using: &random) {
      try act(on: server)
    } else if let child = try gateway.children().sorted().randomElement(using: &random),
      isBegun(child, of: gateway)
    {
      act(on: child)
    }
  }

  /// Whether it runs its program: until then the gateway waits for it, and would for ever if it were stopped.
  private func isBegun(_ child: Int32, of gateway: RunningGateway) -> Bool {
    guard let program = Self.program(of: child) else { return false }
    return program != Self.program(of: gateway.program.identifier)
  }

  private static func program(of process: Int32) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
  }

  private func act(on server: Server) throws {
    let isKill = Bool.random(using: &random)
    if server.program == nil {
      count("restart")
      try server.start()
    } else if isKill {
      count(server.isStopped ? "kill a stopped one" : "kill")
      server.kill()
    } else {
      count(server.isStopped ? "continue" : "stop")
      server.signal(server.isStopped ? SIGCONT : SIGSTOP)
    }
  }

  private func act(on child: Int32) {
    let isStopped = stoppedChildren.contains(child)
    if Bool.random(using: &random) {
      count(isStopped ? "kill a stopped one" : "kill")
      stoppedChildren.remove(child)
      kill(child, SIGKILL)
    } else if isStopped {
      count("continue")
      stoppedChildren.remove(child)
      kill(child, SIGCONT)
    } else {
      count("stop")
      stoppedChildren.insert(child)
      kill(child, SIGSTOP)
    }
  }

  private func count(_ act: String) { acts[act, default: 0] += 1 }

  /// From now on all of them live and work.
  func end(on gateway: RunningGateway) throws {
    for server in servers {
      if server.program == nil { try server.start() }
      if server.isStopped { server.signal(SIGCONT) }
    }
    for child in try gateway.children() where stoppedChildren.contains(child) { kill(child, SIGCONT) }
  }
}
