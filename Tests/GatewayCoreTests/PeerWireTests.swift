import Identity
import JSONRPC
import Secrets
import Testing

@testable import GatewayCore

/// What members of a fleet tell each other, as bytes.
@Suite struct PeerWireTests {
  private static let limits = GatewayConfiguration().scan

  private func scanned(_ text: String) -> (bytes: [UInt8], envelope: Envelope) {
    let bytes = JSONText.padded(Array(text.utf8))
    var envelope = Envelope()
    _ = EnvelopeScanner.scan(bytes.span, 0..<text.utf8.count, Self.limits, into: &envelope)
    return (bytes, envelope)
  }

  private func client(_ credential: Credential?) -> RemoteClient {
    var client = RemoteClient(
      slot: 7, number: 9, serial: 3, listener: 1, kind: .exchange, framing: .lines, credential: credential,
      session: Array("s".utf8))
    client.address = "10.0.0.1:5"
    client.way = ClientWay(.events, isSecure: true)
    return client
  }

  private func asked() -> PeerBatch {
    var batch = PeerBatch()
    let credentials: [Credential?] = [
      nil, .user(12), TokenDigest(bytes: [UInt8](repeating: 5, count: 32)).map { .token($0) },
      .certificate([CertificateName(.dns, "a.example"), CertificateName(.subject, "CN=a")]),
      .issued(
        IssuedIdentity(
          terms: IssuerOptions.Terms(name: "i", issuer: "https://i", audiences: ["a", "b"]),
          key: .p256(x: [1, 2], y: [3]), subject: "ada", namespace: "n", endSeconds: -4)),
    ]
    for credential in credentials { batch.addOpened(client(credential)) }
    let (bytes, envelope) = scanned(
      #"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":[1,"]"]},"task":{"key":"k"}}"#)
    batch.addRequest(
      envelope, in: bytes.span, call: 1 << 40, from: 7, about: PartitionClaim(partition: 255, epoch: 9))
    let (other, notification) = scanned(#"{"jsonrpc":"2.0","method":"n"}"#)
    batch.addRequest(notification, in: other.span, call: nil, from: 7, about: .none)
    batch.cancel(5, answered: 6)
    batch.cancel(5, answered: nil)
    batch.add(.ended(client: 7))
    batch.add(.gone(client: 8))
    return batch
  }

  private func written(_ batch: PeerBatch) -> [UInt8] {
    var wire = WireWriter()
    batch.write(into: &wire)
    return wire.bytes
  }

  @Test func `what a loop with clients tells is read as it was written`() throws {
    let bytes = written(asked())
    let read = try #require(PeerBatch(bytes, from: .asking, Self.limits))
    #expect(read.events.count == asked().events.count)
    #expect(written(read) == bytes)
  }

  @Test func `what an owner tells is read as it was written`() throws {
    var batch = PeerBatch()
    let (bytes, envelope) = scanned(#"{"jsonrpc":"2.0","id":77,"method":"m","task":{"key":"k"}}"#)
    batch.addMoved(
      envelope, in: bytes.span, from: 3, serial: 1 << 50, about: PartitionClaim(partition: 0, epoch: 1))
    batch.addClosed(MirrorName(loop: 0, slot: 3, serial: 4, framing: .contentLength))
    let text = Array(#"{"jsonrpc":"2.0","id":1,"result":2}"#.utf8)
    unsafe text.withUnsafeBytes { chunk in
      _ = unsafe withUnsafePointer(to: chunk) {
        unsafe batch.addAnswers(
          UnsafeBufferPointer(start: $0, count: 1),
          to: MirrorName(loop: 0, slot: 3, serial: 4, framing: .contentLength))
      }
    }
    let wire = written(batch)
    let read = try #require(PeerBatch(wire, from: .owning, Self.limits))
    #expect(written(read) == wire)
  }

  @Test func `that a client was turned away is read of the last word to its own mirror alone`() throws {
    func mirror(_ slot: Int, _ framing: Framing) -> MirrorName {
      MirrorName(loop: 0, slot: slot, serial: 4, framing: framing)
    }
    let words: [(slot: Int, error: RPCError, isTurnedAway: Bool)] = [
      (3, PeerBatch.turnedAway, true), (4, PeerBatch.turnedAway, false), (3, RPCError.overloaded, false),
    ]
    for framing in [Framing.lines, Framing.contentLength] {
      for word in words {
        var text: [UInt8] = []
        MessageWriter.error(RequestID(), word.error, as: framing, into: &text)
        var batch = PeerBatch()
        unsafe text.withUnsafeBytes { chunk in
          _ = unsafe withUnsafePointer(to: chunk) {
            unsafe batch.addAnswers(
              UnsafeBufferPointer(start: $0, count: 1), to: mirror(word.slot, framing))
          }
        }
        batch.addClosed(mirror(3, framing))
        let read = try #require(PeerBatch(written(batch), from: .owning, Self.limits))
        #expect(read.saysTurnedAway(before: 1) == word.isTurnedAway)
        #expect(!read.saysTurnedAway(before: 0))
      }
    }
  }

  @Test func `one side cannot tell what the other does, and nothing that is cut short is read`() {
    let bytes = written(asked())
    #expect(PeerBatch(bytes, from: .owning, Self.limits) == nil)
    // Whole events may be left; no part of one is taken for it.
    for count in bytes.indices {
      let part = Array(bytes[..<count])
      guard let read = PeerBatch(part, from: .asking, Self.limits) else { continue }
      #expect(written(read) == part)
    }
  }

  @Test func `what was told stays as it is, however much is told behind it`() {
    var sent = SentBatches(count: 2)
    var batch = asked()
    let first = sent.take(&batch)
    #expect(batch.isEmpty)
    let text = first.summary
    for _ in 0..<5 {
      batch = asked()
      batch.cancel(1 << 60, answered: nil)
      let next = sent.take(&batch)
      #expect(next.summary != text)
      #expect(batch.isEmpty && batch.newClients.isEmpty && batch.bytes.isEmpty)
    }
    #expect(first.summary == text)
  }

  @Test func `a long one is not kept once it was told, though nothing is told behind it`() {
    var sent = SentBatches(count: 2)
    for _ in 0..<4 {
      var batch = PeerBatch()
      batch.addAnswer(toClient: 1) { $0 += [UInt8](repeating: 0, count: 1_000_000) }
      let told = sent.take(&batch)
      #expect(told.byteCount > 1_000_000)
      #expect(batch.isEmpty && batch.bytes.isEmpty)
      var many = PeerBatch()
      for client in 0..<10_000 { many.add(.gone(client: Int32(client))) }
      let toldToo = sent.take(&many)
      #expect(toldToo.eventCount == 10_000)
      var short = asked()
      _ = sent.take(&short)
    }
    let keptByteCount = sent.keptByteCount
    #expect((1..<200_000).contains(keptByteCount))
  }

  @Test func `what is no request is not read as one`() {
    var wire = WireWriter()
    wire.write(UInt8(2))
    wire.write(Int32(0))
    wire.write(Int16(3))
    wire.write(UInt32(1))
    wire.write(#"{"jsonrpc":"2.0","id":1,"result":1}"#)
    #expect(PeerBatch(wire.bytes, from: .asking, Self.limits) == nil)
  }
}

extension PeerBatch {
  fileprivate mutating func cancel(_ call: UInt64, answered: UInt64?) {
    let call = range(ofNumber: call)
    let answered = answered.map { range(ofNumber: $0) } ?? .none
    add(.cancel(client: 7, call: call, answered: answered, isCounted: true))
  }
}
