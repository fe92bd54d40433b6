#if TLS
import CLibSSL
import Testing

@testable import TLS

/// Records that bring no plaintext are work for nothing: so many in a row are enough.
@Suite struct IdleRecordTests {
  private let pair: EnginePair

  init() throws {
    let papers = try Papers.all()
    pair = try EnginePair(try papers.serverContext(), try papers.clientContext())
    pair.talk()
  }

  private func changeKeys(times: Int) throws {
    for _ in 0..<times {
      try #require(unsafe SSL_key_update(pair.client.session, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
      try #require(unsafe SSL_do_handshake(pair.client.session) == 1)
    }
  }

  /// All that the client has to say, at once.
  private func tell() { pair.toServer(pair.takeOutput(of: pair.client), 1 << 20) }

  @Test func `keys may be changed often, as long as something is said in between`() throws {
    for round in 0..<5 {
      try changeKeys(times: TLSEngine.idleRecordLimit)
      _ = pair.client.write([UInt8]("\(round)"))
    }
    tell()
    #expect(pair.serverHeard.text == "01234")
    #expect(pair.server.fault == nil)
  }

  @Test func `one change of keys too many ends the session, and what was said before counts`() throws {
    _ = pair.client.write([UInt8]("before"))
    try changeKeys(times: TLSEngine.idleRecordLimit + 1)
    _ = pair.client.write([UInt8]("behind"))
    tell()
    #expect(pair.serverHeard.text == "before")
    #expect(pair.server.fault?.kind == .broken)
  }

  @Test func `what is said behind a change of keys is heard, also with the answer that was asked for`() throws
  {
    try #require(unsafe SSL_key_update(pair.client.session, SSL_KEY_UPDATE_REQUESTED) == 1)
    try #require(unsafe SSL_do_handshake(pair.client.session) == 1)
    _ = pair.client.write([UInt8]("question"))
    tell()
    _ = pair.server.write([UInt8]("answer"))
    pair.talk()
    #expect(pair.serverHeard.text == "question")
    #expect(pair.clientHeard.text == "answer")
  }
}
#endif
