import Foundation
import TestSupport
import Testing

/// Clients that do not read, or send slowly.
@Suite struct WebSocketSlownessTests {
  @Test func `who asks whether we are there, and reads nothing, costs little`() throws {
    let growthBytes = 8 << 20
    let scene = try WebSocketScene()
    let (deaf, other) = (try scene.open(), try scene.open())
    #expect(try other.isInStep())
    let before = try scene.gateway.program.peakResidentBytes()
    let ping = LineSocket.frame(WebSocketPeer.ping, [UInt8](repeating: 7, count: 125))
    let pings = Array(repeatElement(ping, count: 2_000).joined())
    var sent = 0
    while sent < 16 << 20 { sent += try deaf.socket.sendSome(pings[(sent % pings.count)...]) }
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    try scene.expectServed(other)
  }

  @Test func `a message that drips is waited for only so long`() throws {
    let scene = try WebSocketScene(bounds: "messageMs = 300")
    let peer = try scene.open()
    try peer.send(WebSocketPeer.text, Array(#"{"jsonrpc":"2.0","id":1,"#.utf8), isLast: false)
    let watchdog = ContinuousClock.now + .seconds(10)
    while !peer.socket.hasNews, ContinuousClock.now < watchdog { try? peer.send(0, [0x20], isLast: false) }
    #expect(try peer.expect().isError(-32700, id: "null"))
    try peer.expectClose(1008)
  }

  @Test func `fragments without an end are refused at the limit, once, and never stored`() throws {
    let growthBytes = 8 << 20
    let scene = try WebSocketScene(bounds: "messageBytes = 65536")
    let (peer, other) = (try scene.open(), try scene.open())
    #expect(try other.isInStep())
    let before = try scene.gateway.program.peakResidentBytes()
    try peer.send(WebSocketPeer.text, [0x22], isLast: false)
    let dust = Array(repeatElement(LineSocket.frame(0, [0x78], isLast: false), count: 100_000).joined())
    for _ in 0..<3 { try peer.socket.send(bytes: dust) }
    #expect(try peer.expect().isError(-32086, id: "null"))
    try peer.send(0, [0x22])
    #expect(try peer.isInStep())
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    try scene.expectServed(other)
  }

  @Test func `a gigabyte that is announced is not kept room for`() throws {
    let growthBytes = 16 << 20
    let scene = try WebSocketScene()
    let (peer, other) = (try scene.open(), try scene.open())
    #expect(try other.isInStep())
    let before = try scene.gateway.program.peakResidentBytes()
    try peer.socket.send(bytes: [0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0])
    for _ in 0..<256 { try peer.socket.send(bytes: [UInt8](repeating: 0x20, count: 1 << 18)) }
    #expect(try other.isInStep())
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    peer.socket.finish()
    try scene.expectServed(other)
  }

  @Test func `whoever leaves and does not read the rest is forgotten`() throws {
    let scene = try WebSocketScene(
      bounds: "pingMs = 0\nmessageBytes = 33554432\nclientOutputHardBytes = 67108864")
    let peer = try scene.open()
    try peer.send(request(1, "m"))
    try scene.upstream.answer(#require(scene.upstream.asked().id), String(repeating: "x", count: 32 << 20))
    #expect(try peer.socket.taken(1) != nil)
    let before = try scene.gateway.descriptorCount()
    try peer.sendClose(1000)
    // It goes on speaking, and reads nothing.
    _ = try eventually("it is closed") {
      _ = try? peer.socket.sendSome([0x8a, 0x80, 0, 0, 0, 0])
      return try scene.gateway.descriptorCount() < before ? true : nil
    }
    try scene.expectServed(scene.open())
  }
}

extension RunningGateway {
  fileprivate func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/fd").count
  }
}
