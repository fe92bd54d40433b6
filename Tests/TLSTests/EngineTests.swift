#if TLS
import TLS
import Testing

/// What goes in at one engine comes out at the other, whatever the wire does to its pieces.
@Suite struct EngineTests {
  private let papers: Papers

  init() throws { papers = try Papers.all() }

  private func pair() throws -> EnginePair {
    try EnginePair(try papers.serverContext(), try papers.clientContext())
  }

  @Test func `both sides hear each other, over the newest version`() throws {
    let pair = try pair()
    pair.talk()
    #expect(pair.server.isSecured && pair.client.isSecured)
    #expect(pair.server.version == "TLSv1.3")
    #expect(pair.client.write([UInt8]("ask")) == 3)
    #expect(pair.server.write([UInt8]("answer")) == 6)
    pair.talk()
    #expect(pair.serverHeard.text == "ask")
    #expect(pair.clientHeard.text == "answer")
    #expect(pair.server.fault == nil && pair.client.fault == nil)
  }

  @Test func `it does not matter where a conversation is cut`() throws {
    let pair = try pair()
    pair.talk(pieceBytes: 1)
    _ = pair.client.write([UInt8]("ask"))
    _ = pair.server.write([UInt8]("answer"))
    pair.talk(pieceBytes: 1)
    #expect(pair.serverHeard.text == "ask")
    #expect(pair.clientHeard.text == "answer")
  }

  @Test func `a record may be cut in two anywhere`() throws {
    let pair = try pair()
    pair.talk()
    for cut in 0..<60 {
      _ = pair.client.write([UInt8]("question \(cut)"))
      let record = pair.takeOutput(of: pair.client)
      let heard = pair.serverHeard.count
      pair.toServer(Array(record.prefix(cut)))
      if cut < record.count { #expect(pair.serverHeard.count == heard) }
      pair.toServer(Array(record.dropFirst(cut)))
      #expect(Array(pair.serverHeard[heard...]).text == "question \(cut)")
    }
  }

  @Test func `nothing is taken before the handshake is over`() throws {
    let pair = try pair()
    #expect(pair.client.write([UInt8]("early")) == 0)
    #expect(pair.server.write([UInt8]("early")) == 0)
    #expect(!pair.client.isSecured)
    pair.talk()
    #expect(pair.serverHeard.isEmpty)
    #expect(pair.client.fault == nil)
  }

  @Test func `much at once becomes many records, and arrives whole`() throws {
    let pair = try pair()
    pair.talk()
    let much = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    #expect(pair.server.write(much) == much.count)
    pair.talk(pieceBytes: 64 * 1024)
    #expect(pair.clientHeard == much)
  }

  @Test func `chunks of all sizes arrive in their order, as far as the limit allows`() throws {
    let pair = try pair()
    pair.talk()
    let parts = [0, 1, 7, 0, 16_000, 900, 16_384, 40_000, 3].enumerated().map { part in
      [UInt8](repeating: UInt8(part.offset), count: part.element)
    }
    let whole = Array(parts.joined())
    var taken = 0
    for _ in 0..<100 where taken < whole.count {
      let count = Self.write(parts, over: pair.client, from: taken, limit: 5_001)
      #expect(count == min(5_001, whole.count - taken))
      taken += count
    }
    #expect(Self.write(parts, over: pair.client, from: taken, limit: 5_001) == 0)
    pair.talk()
    #expect(pair.serverHeard == whole)
  }

  @Test func `a chunk that nearly fills a record is one, and small ones are one together`() throws {
    let pair = try pair()
    pair.talk()
    let parts = [9_000, 14_000, 100, 0, 200].map { [UInt8](repeating: 7, count: $0) }
    #expect(Self.write(parts, over: pair.client, from: 0, limit: .max) == 23_300)
    // What kind of a record it is, and the tag.
    let besides = 17
    #expect(Self.recordBytes(pair.client.output).map { $0 - besides } == [9_000, 14_000, 300])
    pair.talk()
    #expect(pair.serverHeard == Array(parts.joined()))
  }

  /// What each record's header says of its length.
  private static func recordBytes(_ ciphertext: [UInt8]) -> [Int] {
    var lengths: [Int] = []
    var start = 0
    while start < ciphertext.count {
      lengths.append(Int(ciphertext[start + 3]) << 8 | Int(ciphertext[start + 4]))
      start += 5 + lengths[lengths.count - 1]
    }
    return lengths
  }

  private static func write(_ parts: [[UInt8]], over engine: TLSEngine, from offset: Int, limit: Int) -> Int {
    let whole = Array(parts.joined())
    return unsafe whole.withUnsafeBytes { bytes in
      var chunks: [UnsafeRawBufferPointer] = unsafe []
      var start = 0
      for part in parts {
        unsafe chunks.append(UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.count]))
        start += part.count
      }
      return unsafe chunks.withUnsafeBufferPointer { unsafe engine.write($0, from: offset, limit: limit) }
    }
  }

  // MARK: Its end

  @Test func `one side can end while the other goes on`() throws {
    let pair = try pair()
    pair.talk()
    _ = pair.client.write([UInt8]("the last question"))
    pair.client.end()
    pair.talk()
    #expect(pair.server.peerHasEnded)
    #expect(pair.client.write([UInt8]("more")) == 0)
    _ = pair.server.write([UInt8]("the answer"))
    pair.server.end()
    pair.talk()
    #expect(pair.clientHeard.text == "the answer")
    #expect(pair.client.peerHasEnded)
    pair.server.inputEnded()
    pair.client.inputEnded()
    #expect(pair.server.fault == nil && pair.client.fault == nil)
  }

  @Test func `an end that the peer did not announce is told apart`() throws {
    let pair = try pair()
    pair.talk()
    pair.server.inputEnded()
    #expect(pair.server.fault?.kind == .truncated)
    let early = try self.pair()
    early.server.inputEnded()
    #expect(early.server.fault?.kind == .truncated)
  }

  @Test func `what comes behind the peer's end is nobody's`() throws {
    let pair = try pair()
    pair.talk()
    pair.client.end()
    pair.toServer(pair.takeOutput(of: pair.client) + [UInt8]("anything"))
    pair.toServer([UInt8]("more"))
    #expect(pair.server.peerHasEnded)
    #expect(pair.serverHeard.isEmpty)
    #expect(pair.server.fault == nil)
  }

  // MARK: Faults

  @Test func `a plain text hello is no TLS, and gets no answer`() throws {
    for text in [#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "GET / HTTP/1.1", "\u{15}", "\u{80}"] {
      let pair = try pair()
      pair.toServer([UInt8](text))
      #expect(pair.server.fault?.kind == .notTLS)
      #expect(pair.server.output.isEmpty)
    }
  }

  @Test func `garbage behind a record's first byte ends the session`() throws {
    let pair = try pair()
    pair.toServer([22] + (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) })
    #expect(pair.server.fault?.kind == .handshake)
    #expect(!pair.server.isSecured)
  }

  @Test func `a damaged record is noticed wherever it is damaged, and what came before counts`() throws {
    for place in [0, 1, 3, 5, 12, -1] {
      let pair = try pair()
      pair.talk()
      _ = pair.client.write([UInt8]("good"))
      let good = pair.takeOutput(of: pair.client)
      _ = pair.client.write([UInt8]("bad"))
      var bad = pair.takeOutput(of: pair.client)
      bad[place < 0 ? bad.count - 1 : place] ^= 0x55
      pair.toServer(good + bad)
      #expect(pair.serverHeard.text == "good")
      // One whose length was made longer waits for the rest.
      if place == 3 { pair.server.inputEnded() }
      #expect(pair.server.fault != nil, "\(place)")
      #expect(pair.server.write([UInt8]("on")) == 0)
    }
  }

  @Test func `a record that is left out is noticed`() throws {
    let pair = try pair()
    pair.talk()
    _ = pair.client.write([UInt8]("one"))
    _ = pair.takeOutput(of: pair.client)
    _ = pair.client.write([UInt8]("two"))
    pair.talk()
    #expect(pair.server.fault?.kind == .broken)
    #expect(pair.serverHeard.isEmpty)
  }

  @Test func `a handshake that is cut short anywhere secures nothing`() throws {
    let whole = try pair()
    let hello = whole.takeOutput(of: whole.client)
    for end in 0..<hello.count {
      let pair = try pair()
      pair.toServer(Array(hello[..<end]))
      pair.server.inputEnded()
      #expect(!pair.server.isSecured)
      #expect(pair.server.fault?.kind == .truncated, "\(end): \(String(describing: pair.server.fault))")
    }
  }

  @Test func `a server that hears its own words back gives up`() throws {
    let pair = try pair()
    pair.toServer(pair.takeOutput(of: pair.client))
    pair.toServer(pair.takeOutput(of: pair.server))
    #expect(pair.server.fault != nil)
  }
}
#endif
