import Addresses
import Foundation
import LibUV
import Logging

@testable import Admin
@testable import Gateway

/// A gateway whose upstream answers in the same loop, its admin pages, and those who talk to either.
final class WatchedScene {
  static let requestsAtOnce = 200
  static let build = BuildName(version: "1.2.3", revision: "0f1e2d-dirty", mode: "release")

  let admin: AdminScene
  let gateway: GatewayServer
  let view: GatewayView
  private let client: AdminCaller
  private let upstream: EchoUpstream
  private var requestCount = 0

  init(_ change: (inout AdminOptions) -> Void = { _ in }) throws {
    admin = try AdminScene(change)
    upstream = try EchoUpstream(on: admin.loop)
    let address = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    gateway = try GatewayServer(
      ServerOptions(listen: [address], upstreams: [.init(.address(upstream.address))], seed: 1),
      on: admin.loop,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    view = try GatewayView(of: GatewayLoops(gateway), build: Self.build, on: admin.loop)
    view.addPages(to: admin.server)
    client = admin.call(gateway.addresses[0])
  }

  /// Whether the gateway tells what happens to tasks.
  var isWatched: Bool { gateway.turn.watching.hearsOfTasks }

  /// Opens the live page's stream, and waits until it has begun.
  func watch() -> AdminCaller {
    let watcher = admin.call()
    watcher.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    admin.run { watcher.text.contains("event: hello\n") }
    return watcher
  }

  /// Whether something has happened that has not been told.
  var frameIsDue: Bool { view.feed.frameIsDue }

  /// Sends requests, and waits until all are answered.
  func request(_ count: Int = 1, key: String = "k") {
    for index in 1...count {
      requestCount += 1
      let task = #"{"key":"\#(key)","policy":"concurrent"}"#
      client.say(#"{"jsonrpc":"2.0","id":\#(requestCount),"method":"m","task":\#(task)}"# + "\n")
      guard index % Self.requestsAtOnce == 0 || index == count else { continue }
      admin.run { [client, requestCount] in client.lineCount == requestCount }
    }
  }

  /// To be called last.
  func end() {
    var isStopped = false
    gateway.drain { isStopped = true }
    client.close()
    admin.run { isStopped }
    admin.server.close()
    view.close()
    upstream.close()
    admin.end()
  }
}

extension AdminCaller {
  var lineCount: Int { received.count { $0 == 0x0a } }

  /// Whether it has read numbers behind a megabyte of what are none.
  var hasCaughtUp: Bool { received.count > 1 << 20 && received.suffix(3).elementsEqual("}\n\n".utf8) }

  /// The data of the events of a name that have come.
  func events(_ name: String) -> [String] {
    text.components(separatedBy: "\n\n").compactMap { event in
      let head = "event: \(name)\ndata: "
      guard let start = event.range(of: head)?.upperBound else { return nil }
      return String(event[start...])
    }
  }

  /// All that frames have told.
  var told: [String] {
    events("frame").flatMap { FrameReader(Array($0.utf8))?.events ?? ["no frame: \($0)"] }
  }
}
