#if TLS
import TLS
import Testing

/// What a session takes and hands on, over a carrier that takes little.
@Suite struct SessionTests {
  private let client: TLSEngine
  private let session: TLSSession
  private let carrier = FakeCarrier()
  private var room: [UInt8] = []

  /// Both are secured, and nothing is on its way.
  init() throws {
    let papers = try Papers.all()
    client = try TLSEngine(client: try papers.clientContext(), to: "localhost")
    session = TLSSession(try TLSEngine(server: try papers.serverContext()), writeBytes: 100)
    for _ in 0..<2 { _ = tell() }
    _ = hear(carrier.makeRoom(.max))
  }

  /// The client's words reach the session, and the answer the client.
  private mutating func tell() -> (plaintext: [UInt8], progress: TLSSession.Progress) {
    let said = client.output
    client.output = []
    let progress = session.receive(said.span, count: said.count, into: &room, slackBytes: 8, over: carrier)
    let plaintext = Array(room[..<progress.plaintextBytes])
    _ = hear(carrier.makeRoom(.max))
    return (plaintext, progress)
  }

  private mutating func hear(_ ciphertext: [UInt8]) -> [UInt8] {
    guard !ciphertext.isEmpty else { return [] }
    let count = client.receive(ciphertext.span, count: ciphertext.count, into: &room)
    return Array(room[..<count])
  }

  private func write(_ bytes: [UInt8]) -> Int {
    // Both pointers are valid during the call.
    unsafe bytes.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) {
        unsafe session.write(UnsafeBufferPointer(start: $0, count: 1), over: carrier)
      }
    }
  }

  @Test(arguments: [1, 30, 121, 122, 123, 244, 1_000])
  mutating func `whatever a stream takes at once, everything arrives once and in order`(roomBytes: Int) {
    let all = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
    var heard: [UInt8] = []
    var taken = 0
    _ = carrier.makeRoom(roomBytes)
    for _ in 0..<5_000 where heard.count < all.count {
      if !session.isWriting(over: carrier) { taken += write(Array(all[taken...])) }
      heard += hear(carrier.makeRoom(roomBytes))
      _ = session.becameWritable(over: carrier)
    }
    #expect(heard == all)
    #expect(client.fault == nil && session.fault == nil)
  }

  @Test func `nothing is taken while something waits`() {
    _ = carrier.makeRoom(10)
    #expect(write([UInt8](repeating: 7, count: 150)) == 100)
    #expect(session.isWriting(over: carrier))
    #expect(write([1]) == 0)
    _ = carrier.makeRoom(1)
    #expect(!session.becameWritable(over: carrier))
    _ = carrier.makeRoom(.max)
    #expect(session.becameWritable(over: carrier))
    #expect(write([1]) == 1)
  }

  @Test mutating func `the end of the peer is told once, behind what it said, and it is still answered`() {
    _ = client.write([UInt8]("last"))
    client.end()
    #expect(tell().plaintext.text == "last")
    #expect(session.takeEnd())
    session.inputEnded()
    #expect(!session.takeEnd() && session.fault == nil)
    #expect(write([UInt8]("answer")) == 6)
    #expect(hear(carrier.makeRoom(.max)).text == "answer")
  }

  @Test func `a peer that is cut off has not ended`() {
    session.inputEnded()
    #expect(!session.takeEnd())
    #expect(session.fault?.kind == .truncated)
  }

  @Test mutating func `what is said last comes behind what waits`() {
    _ = carrier.makeRoom(10)
    #expect(write([UInt8]("answer")) == 6)
    let lastWords = session.release(over: carrier)
    #expect(!lastWords.isEmpty)
    #expect(hear(carrier.makeRoom(0) + lastWords).text == "answer")
    #expect(client.peerHasEnded && client.fault == nil)
  }

  @Test mutating func `a stream is shut down once all has left`() {
    _ = carrier.makeRoom(10)
    #expect(write([UInt8]("answer")) == 6)
    session.end(over: carrier)
    #expect(!carrier.isShutDown)
    var heard = hear(carrier.makeRoom(.max))
    #expect(!session.becameWritable(over: carrier))
    heard += hear(carrier.makeRoom(.max))
    _ = session.becameWritable(over: carrier)
    #expect(carrier.isShutDown && heard.text == "answer" && client.peerHasEnded)
  }

  @Test func `all has left once it was ended and its carrier has taken everything`() {
    _ = carrier.makeRoom(10)
    #expect(write([UInt8]("answer")) == 6)
    session.end(over: carrier)
    #expect(!session.hasLeft(over: carrier))
    _ = carrier.makeRoom(.max)
    #expect(!session.becameWritable(over: carrier), "nothing more is taken")
    #expect(session.hasLeft(over: carrier))
  }

  @Test func `of one that goes on nobody says that all has left`() {
    #expect(!session.isWriting(over: carrier) && !session.hasLeft(over: carrier))
  }

  @Test mutating func `a change of keys is answered, and both go on`() {
    client.changeKeys()
    _ = client.write([UInt8]("question"))
    #expect(tell().plaintext.text == "question")
    #expect(write([UInt8]("answer")) == 6)
    #expect(hear(carrier.makeRoom(.max)).text == "answer")
  }
}
#endif
