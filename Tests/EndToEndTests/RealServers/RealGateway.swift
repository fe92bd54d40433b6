import Foundation
import TestSupport

/// A gateway before one real server, and all processes that come of it.
final class RealGateway {
  let gateway: RunningGateway
  let directory: TemporaryDirectory
  let family: ProcessFamily

  /// - Parameters:
  ///   - command: a child's words; its standard input and output are recorded.
  ///   - upstream: lines for `[[upstream]]`.
  ///   - rest: further blocks.
  convenience init(
    child command: [String], upstream: String, listen: String = "", rest: String = ""
  ) throws {
    let directory = try TemporaryDirectory()
    let family = ProcessFamily()
    let recorder = ["env", family.mark, "python3", RealServers.ours("tee.py"), directory.path]
    try self.init(
      directory, family, address: "exec:" + (recorder + command).joined(separator: " "), upstream, listen,
      rest)
  }

  /// - Parameter address: where the server is, whoever started it.
  convenience init(
    address: String, upstream: String, listen: String = "", rest: String = ""
  ) throws {
    try self.init(TemporaryDirectory(), ProcessFamily(), address: address, upstream, listen, rest)
  }

  private init(
    _ directory: TemporaryDirectory, _ family: ProcessFamily, address: String, _ upstream: String,
    _ listen: String, _ rest: String
  ) throws {
    let path = directory.path + "/lastword.toml"
    let text = """
      [[listen]]
      address = "127.0.0.1:0"
      \(listen)
      [[upstream]]
      name = "real"
      address = "\(address)"
      \(upstream)
      \(rest)
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    self.directory = directory
    self.family = family
    gateway = try RunningGateway(["--config", path], listen: [], reachesUpstream: false)
  }

  deinit {
    // By its id, so that it can end its children; whatever it leaves is found by its mark.
    _ = gateway.stop()
    family.kill()
  }

  func connect() throws -> LineSocket { try gateway.connect() }

  /// What was recorded of the children, the oldest first.
  func recordings() throws -> [Recording] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let processes = names.filter { $0.hasSuffix(".in") }.compactMap { Int($0.dropLast(3)) }.sorted()
    return processes.map { Recording(path: "\(directory.path)/\($0)") }
  }
}
