import Foundation

/// A running `lastword serve` on a port of the kernel's choice.
///
/// However a test ends, what the gateway counted must then add up.
package final class RunningGateway {
  /// How many loops each has whose test does not say it: what the environment says, or one.
  package static let loops = Int(ProcessInfo.processInfo.environment["LASTWORD_LOOPS"] ?? "1")!

  /// What one has in its environment whose test is about a single loop.
  package static let oneLoop = ["LASTWORD_LOOPS": "1"]

  /// - Parameter environment: what a gateway has besides the test's.
  static func loops(in environment: [String: String]) -> Int {
    environment["LASTWORD_LOOPS"].flatMap { Int($0) } ?? loops
  }

  /// What a load has to be told of them.
  package static let loadFlags = loops > 1 ? ["--several-loops"] : []

  package let program: RunningProgram
  private let directory: TemporaryDirectory
  /// Where it listens: `127.0.0.1:PORT`, `unix:PATH`.
  package private(set) var addresses: [String] = []
  package private(set) var banner: [String] = []
  /// Where its admin pages are, if there are any.
  package private(set) var adminAddress: String?

  /// - Parameters:
  ///   - upstream: as `--upstream` takes it; nil for the built-in demo handler.
  ///   - reachesUpstream: whether to wait until it is connected; false if nobody is there yet.
  ///   - descriptorLimit: how many files it may open; nil: as many as the test.
  ///   - through: the words that start it, before its own; what they start must become it.
  ///   - environment: what it has besides the test's, or instead.
  ///   - opensPages: whether to give it admin pages if the arguments do not; false if the configuration decides that.
  package init(
    upstream: String? = nil, _ arguments: [String] = [], listen: [String] = ["127.0.0.1:0"],
    reachesUpstream: Bool = true, descriptorLimit: Int? = nil, through: [String] = [],
    environment: [String: String] = [:], opensPages: Bool = true
  ) throws {
    directory = try TemporaryDirectory()
    // Its standard error is a pipe, and what tests look for in it is text.
    var settings = ["LASTWORD_LOG_FORMAT": "text"]
    if opensPages { settings["LASTWORD_ADMIN_ADDRESS"] = "unix:\(directory.path)/admin" }
    settings.merge(environment) { $1 }
    var all = ["serve"]
    for address in listen { all += ["--listen", address] }
    if let upstream { all += ["--upstream", upstream] }
    var words = through + [Programs.lastword] + all + arguments
    if let descriptorLimit {
      words = ["/bin/sh", "-c", "ulimit -n \(descriptorLimit); exec \"$0\" \"$@\""] + words
    }
    program = try RunningProgram(words[0], Array(words.dropFirst()), environment: settings)
    try awaitReady()
    guard reachesUpstream else { return }
    for _ in 0..<Self.loops(in: environment) {
      try awaitLog("upstream connected", or: "connecting to upstream as needed")
    }
  }

  private func awaitReady() throws {
    while let line = program.errorLine() {
      banner.append(line)
      let message = Self.message(of: line)
      if let range = message.range(of: "Listening for JSON-RPC on ") {
        addresses.append(String(message[range.upperBound...]))
      }
      if let range = message.range(of: "Admin pages on ") {
        let name = message[range.upperBound...]
        adminAddress = name.hasPrefix("http://") ? String(name.dropFirst(7).dropLast()) : String(name)
      }
      if message.hasSuffix("Started") { return }
    }
    throw LineSocket.Failure(description: "the gateway did not start: \(banner)")
  }

  /// The whole line, unless it is JSON.
  private static func message(of line: String) -> String {
    let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
    return (value as? [String: Any])?["message"] as? String ?? line
  }

  package var address: String { addresses[0] }
  package func connect() throws -> LineSocket { try LineSocket(address) }

  /// Reads log lines until one contains `text`, or `other`, and gives that.
  @discardableResult
  package func awaitLog(_ text: String, or other: String? = nil) throws -> String {
    while let line = program.errorLine() {
      if line.contains(text) || other.map(line.contains) ?? false { return line }
    }
    throw LineSocket.Failure(description: "the log never said: \(text)")
  }

  deinit { checkSums() }

  /// SIGTERM, and the exit status.
  package func stop() -> Int32? {
    checkSums()
    program.signal(SIGTERM)
    return program.exitStatus()
  }
}
