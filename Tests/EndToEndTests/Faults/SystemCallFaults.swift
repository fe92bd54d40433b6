import Foundation
import TestSupport

/// System calls of a running gateway that fail as a test says, from its making until it ends: strace makes them.
final class SystemCallFaults {
  private let strace: RunningProgram
  private let log: String

  /// - Parameters:
  ///   - calls: their names, as strace takes them.
  ///   - fault: what becomes of them, and which of them it meets, counted from now on.
  init(_ calls: String, _ fault: String, on gateway: RunningGateway, in directory: TemporaryDirectory) throws
  {
    try Self.expectStrace()
    log = directory.path + "/strace-\(UUID().uuidString.prefix(8))"
    strace = try RunningProgram(
      Self.path,
      [
        "-o", log, "-e", "trace=\(calls)", "-e", "inject=\(calls):\(fault)", "-p",
        "\(gateway.program.identifier)",
      ])
    guard let line = strace.errorLine(), line.hasSuffix("attached") else {
      throw Missing(description: "strace may not trace here: \(strace.errorLine() ?? "")")
    }
  }

  private static let path = "/usr/bin/strace"

  /// The words with which a gateway is started when calls are to fail from the very first on.
  static func words(_ calls: String, _ fault: String) throws -> [String] {
    try expectStrace()
    // The tracer is no parent of the gateway's: the process that is started becomes the gateway.
    return [
      path, "-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
      "inject=\(calls):\(fault)",
    ]
  }

  private static func expectStrace() throws {
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Missing(description: "this test needs strace (apt-get install strace)")
    }
  }

  struct Missing: Error, CustomStringConvertible { let description: String }

  /// The calls so far, one a line, and whether it was made to fail.
  func calls() throws -> [Substring] {
    let text = try String(contentsOfFile: log, encoding: .utf8)
    return text.split(separator: "\n").filter { $0.contains("(") }
  }

  func faultCount() throws -> Int { try calls().count { $0.hasSuffix("(INJECTED)") } }

  /// Lets go of the gateway.
  /// - Returns: the calls that it made meanwhile.
  @discardableResult
  func end() throws -> [Substring] {
    strace.signal(SIGINT)
    _ = strace.exitStatus()
    return try calls()
  }
}

/// A gateway that is to survive faults, somebody who is connected meanwhile, and how many descriptors it has so.
struct FaultScene {
  let directory: TemporaryDirectory
  let gateway: RunningGateway
  let bystander: LineSocket
  private let descriptors: Int

  init(upstream: String? = nil, _ arguments: [String] = []) throws {
    directory = try TemporaryDirectory()
    // Which of the calls is the first is known of one thread.
    gateway = try RunningGateway(upstream: upstream, arguments, environment: RunningGateway.oneLoop)
    bystander = try gateway.connect()
    _ = try bystander.isInStep()
    descriptors = try gateway.connectionDescriptors()
  }

  func faults(_ calls: String, _ fault: String) throws -> SystemCallFaults {
    try SystemCallFaults(calls, fault, on: gateway, in: directory)
  }

  /// It serves who is there and who comes, has closed what is closed, and stops as it should.
  /// - Parameter lostDescriptors: those that were not closed because closing them failed.
  func isSound(lostDescriptors: Int = 0, serving serve: (LineSocket) throws -> Bool) throws -> Bool {
    let isServing = try bystander.isInStep() && serve(bystander) && serve(gateway.connect())
    try expectEventually("all descriptors are closed") {
      try gateway.connectionDescriptors() == descriptors + lostDescriptors
    }
    return isServing && gateway.stop() == 0
  }

  /// The same of a gateway before the built-in demo handler.
  func isSound(lostDescriptors: Int = 0) throws -> Bool {
    try isSound(lostDescriptors: lostDescriptors) {
      try $0.call(request(4711, "echo", "[7]")) == #"{"jsonrpc":"2.0","id":4711,"result":[7]}"#
    }
  }

  /// The rest of the log of a gateway that has ended.
  func logLines() -> [String] {
    var lines: [String] = []
    while let line = gateway.program.errorLine() { lines.append(line) }
    return lines
  }
}

extension RunningGateway {
  /// How many sockets and pipes it has open; the runtime makes itself timers when it likes.
  func connectionDescriptors() throws -> Int {
    let directory = "/proc/\(program.identifier)/fd/"
    return try FileManager.default.contentsOfDirectory(atPath: directory).count { name in
      // One may be closed meanwhile.
      let kind = try? FileManager.default.destinationOfSymbolicLink(atPath: directory + name)
      return kind.map { $0.hasPrefix("socket:") || $0.hasPrefix("pipe:") } ?? false
    }
  }
}
