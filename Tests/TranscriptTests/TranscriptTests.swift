import TestSupport
import Testing

/// Every file under `proto/transcripts`, replayed against the real binary.
@Suite struct TranscriptTests {
  @Test func `there are transcripts`() throws {
    #expect(try Transcript.all().count >= 10)
  }

  @Test(arguments: try Transcript.all())
  func `the gateway speaks as the transcript says`(transcript: Transcript) throws {
    let gateway = try RunningGateway()
    var connections: [Int: LineSocket] = [:]
    func connection(_ number: Int) throws -> LineSocket {
      if let known = connections[number] { return known }
      let new = try gateway.connect()
      connections[number] = new
      return new
    }
    for line in transcript.lines {
      switch line {
      case .sent(let number, let text): try connection(number).send(text)
      case .received(let number, let text): #expect(try connection(number).expect() == text)
      }
    }
    for socket in connections.values { #expect(try socket.isInStep(), "more came than the transcript says") }
    #expect(gateway.stop() == 0)
  }
}
