import Foundation
import TestSupport
import Testing

/// Frames however they are cut, and what is no frame.
@Suite struct WebSocketFrameTests {
  private static let ping = Array(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#.utf8)
  private static let pong = #"{"jsonrpc":"2.0","id":1,"result":null}"#
  private static let text = WebSocketPeer.text

  private let scene: WebSocketScene

  init() throws { scene = try WebSocketScene() }

  @Test func `a request and its reply are these bytes`() throws {
    let peer = try scene.open()
    // FIN and text, masked, 49 bytes.
    let mask: [UInt8] = [1, 2, 3, 4]
    let masked = Self.ping.enumerated().map { $1 ^ mask[$0 % 4] }
    try peer.socket.send(bytes: [0x81, 0xb1] + mask + masked)
    #expect(try peer.socket.taken(2) == [0x81, 38])
    #expect(try peer.socket.taken(38) == Array(Self.pong.utf8))
    // A Close with 1000 is answered with the same, unmasked, and the connection ends.
    try peer.socket.send(bytes: [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8])
    #expect(try peer.socket.taken(4) == [0x88, 0x02, 0x03, 0xe8])
    #expect(try peer.socket.taken(1) == nil && !peer.socket.wasReset)
  }

  @Test func `a frame is read wherever it is cut`() throws {
    let frame = LineSocket.frame(Self.text, Self.ping)
    let peer = try scene.open()
    for cut in 1..<frame.count {
      try peer.socket.send(bytes: Array(frame[..<cut]))
      try peer.socket.send(bytes: Array(frame[cut...]))
      #expect(try peer.expect() == Self.pong)
    }
    for byte in frame { try peer.socket.send(bytes: [byte]) }
    #expect(try peer.expect() == Self.pong)
    // Longer lengths, in segments of three bytes.
    for padding in [126 - Self.ping.count, 0x10000 - Self.ping.count] {
      let padded = LineSocket.frame(Self.text, Self.ping + [UInt8](repeating: 0x20, count: padding))
      for cut in stride(from: 0, to: 20, by: 3) { try peer.socket.send(bytes: Array(padded[cut..<cut + 3])) }
      try peer.socket.send(bytes: Array(padded[21...]))
      #expect(try peer.expect() == Self.pong)
    }
    try scene.expectServed(peer)
  }

  @Test func `many frames in one segment are each answered`() throws {
    let peer = try scene.open()
    try peer.socket.send(
      bytes: Array(repeatElement(LineSocket.frame(Self.text, Self.ping), count: 500).joined()))
    for _ in 0..<500 { #expect(try peer.expect() == Self.pong) }
    try scene.expectServed(peer)
  }

  @Test func `a message in fragments, with pings between them, is one`() throws {
    let peer = try scene.open()
    try peer.send(Self.text, Array(Self.ping[..<10]), isLast: false)
    try peer.send(WebSocketPeer.ping, [1, 2, 3])
    #expect(try peer.socket.seenFrame() == SeenFrame(WebSocketPeer.pong, [1, 2, 3]))
    try peer.send(0, [], isLast: false)
    for byte in Self.ping[10...] { try peer.send(0, [byte], isLast: false) }
    try peer.send(WebSocketPeer.pong, Array("nobody asked".utf8))
    let most = [UInt8](repeating: 0xff, count: 125)
    try peer.send(WebSocketPeer.ping, most)
    #expect(try peer.socket.seenFrame() == SeenFrame(WebSocketPeer.pong, most))
    try peer.send(WebSocketPeer.ping, [])
    #expect(try peer.socket.seenFrame() == SeenFrame(WebSocketPeer.pong, []))
    try peer.send(0, [])
    #expect(try peer.expect() == Self.pong)
    try scene.expectServed(peer)
  }

  /// What closes a connection, by what is wrong with it.
  static let faults: [(Input, UInt16)] = [
    (Input("a frame without a mask", LineSocket.frame(text, ping, mask: nil)), 1002),
    (Input("a reserved bit", [0xc1, 0x80, 0, 0, 0, 0]), 1002),
    (Input("an opcode that nobody knows", LineSocket.frame(3, [])), 1002),
    (Input("a control opcode that nobody knows", LineSocket.frame(11, [])), 1002),
    (Input("a ping in fragments", LineSocket.frame(9, [], isLast: false)), 1002),
    (Input("a long ping", LineSocket.frame(9, [UInt8](repeating: 1, count: 126))), 1002),
    (Input("a continuation of nothing", LineSocket.frame(0, ping)), 1002),
    (
      Input(
        "a text within another", LineSocket.frame(text, [0x7b], isLast: false) + LineSocket.frame(text, ping)),
      1002
    ),
    (
      Input(
        "a binary within a text", LineSocket.frame(text, [0x7b], isLast: false) + LineSocket.frame(2, ping)),
      1002
    ),
    (Input("a length not in its shortest form", [0x81, 0xfe, 0, 5, 0, 0, 0, 0]), 1002),
    (Input("a length with its highest bit", [0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]), 1002),
    (Input("binary", LineSocket.frame(2, ping)), 1003),
    (Input("no UTF-8", LineSocket.frame(text, [0x22, 0xff])), 1007),
    (Input("a surrogate", LineSocket.frame(text, [0x22, 0xed, 0xa0, 0x80, 0x22])), 1007),
    (Input("half a character at the end", LineSocket.frame(text, [0x22, 0xc3])), 1007),
    (
      Input(
        "half a character across fragments",
        LineSocket.frame(text, [0x22, 0xf0, 0x9f], isLast: false) + LineSocket.frame(0, [0x98], isLast: false)
          + LineSocket.frame(0, [0x22])), 1007
    ),
    // With the first byte that tells, in a frame and a message that go on.
    (
      Input("no UTF-8, early", [0x01, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0x22, 0xff]), 1007
    ),
    (Input("half a code", LineSocket.frame(8, [3])), 1002),
    (Input("a reason that is no UTF-8", LineSocket.frame(8, [3, 0xe8, 0xff])), 1007),
  ]

  @Test(arguments: faults)
  func `what must not be sent closes the connection`(input: Input, code: UInt16) throws {
    let peer = try scene.open()
    #expect(try peer.isInStep())
    // Nothing behind it is read.
    try peer.socket.send(
      bytes: input.bytes + LineSocket.frame(Self.text, Array(request(1, "late").utf8)))
    try scene.expectClosed(peer, code)
  }

  @Test func `a character across fragments is one`() throws {
    let peer = try scene.open()
    let bytes = Array(#"{"jsonrpc":"2.0","id":"é😀","method":"lastword.ping"}"#.utf8)
    for cut in 1..<bytes.count {
      try peer.send(Self.text, Array(bytes[..<cut]), isLast: false)
      try peer.send(0, Array(bytes[cut...]))
      #expect(try peer.expect() == #"{"jsonrpc":"2.0","id":"é😀","result":null}"#)
    }
  }

  @Test(
    arguments: [
      nil, 1000, 1001, 1003, 1007, 1010, 1014, 3000, 4999,
    ] as [UInt16?])
  func `a Close is answered with its own code`(code: UInt16?) throws {
    let peer = try scene.open()
    try peer.sendClose(code, code == nil ? [] : Array("gone é".utf8))
    try scene.expectClosed(peer, code)
  }

  @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16])
  func `a code that must not be sent is wrong`(code: UInt16) throws {
    let peer = try scene.open()
    try peer.sendClose(code)
    try scene.expectClosed(peer, 1002)
  }
}
