#if TLS
import TLS
import TestSupport
import Testing

/// Whether sessions take as much memory as they count for, to within a factor of two: another library, or another version
/// of it, may take other amounts. Each test has a process of its own, in which the library's memory is counted from its
/// first byte.
@Suite struct MemoryTests {
  @Test func `a session that idles takes what it counts for`() async {
    await #expect(processExitsWith: .success) {
      let sessions = try MeasuredSessions()
      try sessions.expect(TLSMemory.sessionBytes) { $0.finish() }
      try sessions.expect(TLSMemory.sessionBytes) {
        $0.finish()
        $0.say(byteCount: 40_000, part: 1)
      }
    }
  }

  @Test func `one whose client has shown a certificate takes no more than that`() async {
    await #expect(processExitsWith: .success) {
      try MeasuredSessions(asks: true).expect(TLSMemory.sessionBytes) { $0.finish() }
    }
  }

  @Test func `a session that has a part of a record takes what it counts for`() async {
    await #expect(processExitsWith: .success) {
      try MeasuredSessions().expect(TLSMemory.sessionBytes + TLSMemory.partBytes) {
        $0.finish()
        $0.say(byteCount: 16_000, part: 2)
      }
    }
  }

  @Test func `a handshake takes what it counts for at most`() async {
    await #expect(processExitsWith: .success) {
      let sessions = try MeasuredSessions()
      let counts = [
        try sessions.measure { _ in }, try sessions.measure { $0.sayHello(part: 2) },
        try sessions.measure { $0.sayHello(part: 1) },
      ]
      MeasuredSessions.expect(counts.max() ?? 0, TLSMemory.handshakeBytes)
    }
  }

  @Test func `a session says that it has a part of a record until the rest has come`() throws {
    let papers = try Papers.all()
    let pair = try EnginePair(papers.serverContext(), papers.clientContext())
    pair.talk()
    #expect(pair.server.isSecured && !pair.server.holdsPart)
    _ = pair.client.write([UInt8]("a record"))
    let record = pair.takeOutput(of: pair.client)
    for end in 1..<record.count {
      pair.toServer([record[end - 1]])
      #expect(pair.server.holdsPart)
    }
    pair.toServer([record[record.count - 1]])
    #expect(!pair.server.holdsPart && pair.serverHeard.text == "a record")
  }
}
#endif
