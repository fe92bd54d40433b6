import Foundation
import TestSupport
import Testing

/// Messages that have a connection or child of their own, and what a whole gateway does about them.
@Suite struct ExchangeTests {
  private static let note = #"{"jsonrpc":"2.0","method":"note","params":[1]}"#

  private static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// A gateway where a shell runs the script for each message.
  private static func start(
    _ script: String, bounds: String = "", _ upstream: String = "", in directory: TemporaryDirectory
  ) throws -> RunningGateway {
    try write(script, to: directory.path + "/script")
    try configure(bounds: bounds, upstream, in: directory)
    return try RunningGateway(["--config", directory.path + "/lastword.toml"])
  }

  private static func configure(
    bounds: String, _ upstream: String = "", in directory: TemporaryDirectory
  ) throws {
    let text = """
      \(bounds)
      [[upstream]]
      name = "main"
      address = "exec:sh \(directory.path)/script"
      hard = true
      \(upstream)
      """
    try write(text, to: directory.path + "/lastword.toml")
  }

  private static func lines(_ path: String) -> [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test func `a gateway that stops lets the children of notifications finish`() throws {
    let directory = try TemporaryDirectory()
    let (heard, done) = (directory.path + "/heard", directory.path + "/done")
    // Longer than a connection was once kept behind a notification.
    let script = "cat >>\(heard); sleep 1.2; echo done >>\(done)"
    let gateway = try Self.start(script, "maxInFlight = 2\nmaxInFlightPerConnection = 2", in: directory)
    let client = try gateway.connect()
    for _ in 1...4 { try client.send(Self.note) }
    #expect(try client.isInStep())
    #expect(gateway.stop() == 0)
    #expect(Self.lines(heard) == [String](repeating: Self.note, count: 4))
    #expect(Self.lines(done).count == 4)
  }

  @Test func `a notification whose child fails is logged as lost`() throws {
    let directory = try TemporaryDirectory()
    let gateway = try Self.start("cat >/dev/null; exit 3", in: directory)
    let client = try gateway.connect()
    try client.send(Self.note)
    let line = try gateway.awaitLog("exchange failed")
    #expect(line.contains("exited with status 3"))
    #expect(try client.isInStep())
  }

  @Test func `a reload reaches what has a child of its own`() throws {
    let directory = try TemporaryDirectory()
    let script = #"""
      read -r line
      id=$(expr "$line" : '.*"id":\([0-9]*\)')
      printf '{"jsonrpc":"2.0","id":%s,"result":"%02000d"}\n' "$id" 0
      cat
      """#
    let gateway = try Self.start(script, bounds: "[bounds]\nmessageBytes = 1024", in: directory)
    let client = try gateway.connect()
    try client.send(request(1, "m"))
    let refused = try client.expect()
    #expect(
      refused.contains(#""code":-32084,"message":"upstream's answer is longer than messageBytes (1024)""#))
    try Self.configure(bounds: "[bounds]\nmessageBytes = 8192", in: directory)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
    try client.send(request(2, "m"))
    let reply = try client.reply()
    #expect(reply.id == 2 && reply.code == nil, "\(reply)")
  }
}
