import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// aria2c, over HTTP.
  @Suite struct AriaTests {
    let server: AriaServer
    let real: RealGateway
    let peer: Peer

    init() throws {
      server = try AriaServer()
      real = try RealGateway(address: server.address, upstream: "")
      peer = try Peer(real.connect(), .lines)
    }

    @Test func `results come back, and errors, which aria2c says with other statuses of HTTP`() throws {
      #expect((try peer.call("aria2.getVersion", nil)["version"] as? String)?.isEmpty == false)
      let unknown = try peer.call("aria2.nothing", nil)
      #expect(unknown.errorCode == 1 && unknown.errorMessage == "No such method: aria2.nothing")
      #expect(try peer.call("aria2.getVersion", ["by": "name"]).errorCode == -32602)
      #expect((try peer.call("aria2.getVersion", nil)["version"] as? String)?.isEmpty == false)
    }

    @Test func `many at once get each their own answer, whether result or error`() throws {
      var ids: [Int: String] = [:]
      for number in 0..<50 {
        try peer.ask("aria2.getGlobalStat", nil)
        ids[try peer.ask("aria2.nothing\(number)", nil)] = "No such method: aria2.nothing\(number)"
      }
      for (id, message) in ids {
        #expect(try peer.reply(to: id).errorMessage == message)
        #expect(try peer.reply(to: id - 1)["numActive"] as? String == "0")
      }
      #expect(peer.replies.count == 100)
    }

    @Test func `the transfer of a superseded request is aborted`() throws {
      #expect(try peer.call("aria2.getVersion", nil).result != nil)
      // What it has not read while it stands still shows what was sent, and what was closed.
      server.program.signal(SIGSTOP)
      let task = ["key": "k", "policy": "cancel"]
      let older = try peer.ask("aria2.getVersion", nil, task: task)
      try eventually("the request has come") { TCPTable.unread(at: server.port) == 1 ? () : nil }
      let newer = try peer.ask("aria2.getSessionInfo", nil, task: task)
      #expect(try peer.reply(to: older).errorCode == -32080)
      try eventually("its connection is closed") { TCPTable.closedByPeer(at: server.port) == 1 ? () : nil }
      #expect(peer.replies.allSatisfy { $0.id != "\(newer)" })
      server.program.signal(SIGCONT)
      #expect(try peer.reply(to: newer)["sessionId"] is String)
    }
  }
}
