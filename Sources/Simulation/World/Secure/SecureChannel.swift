import GatewayCore
import JSONRPC
import TLS

/// A client's connection under TLS: an engine of the client's, the gateway's session, and the network between them.
///
/// Both ends send real bytes, which differ from run to run. Decisions here depend only on their length, and only once
/// the handshake is over: then it is the plaintext's, with a constant for each record.
final class SecureChannel {
  /// How it was connected: the core hears of it when the handshake is over.
  struct Greeting {
    var listener: Int
    var room: Int
    var framing: Framing
    var user: Int
  }

  let greeting: Greeting
  /// The code of the gateway's that is judged.
  let session: TLSSession
  let wire: SecureWire
  let client: TLSEngine
  let recordBytes: Int
  private let writeBytes: Int
  /// Ciphertext on its way to the gateway.
  var onTheWay: [UInt8] = []
  /// A part of a message of the handshake has arrived: the next piece is the rest.
  var isMidFlight = false
  /// Plaintext that the core gave away and the client has not got.
  private var owed: [UInt8] = []
  /// What the session made of the last piece.
  var plaintext: [UInt8] = []
  private var heard: [UInt8] = []
  var keyChangesInARow = 0
  var keyChanges = 0
  var hasSaidEnd = false
  /// How many bytes that takes.
  var endBytes = 0
  /// The FIN comes without TLS's own word before it.
  var isCutOff = false
  /// A byte of what it said was changed on the way.
  var isAltered = false
  /// That was before the client knew the server: no handshake can come of it.
  var isHandshakeAltered = false
  var finHasArrived = false
  /// What the gateway did against its contract.
  private(set) var complaint: String?

  /// Client number after client number has other sizes of records, and of what is taken at once.
  init(_ client: Int, _ greeting: Greeting, _ papers: SimulatedPapers) throws(TLSFault) {
    self.greeting = greeting
    let engine = try TLSEngine(server: papers.server)
    writeBytes = Self.writeBytes[client % Self.writeBytes.count]
    session = TLSSession(engine, writeBytes: writeBytes)
    let queueLimitBytes = Self.queueLimitBytes[client / 3 % Self.queueLimitBytes.count]
    wire = SecureWire(room: greeting.room, queueLimitBytes: queueLimitBytes)
    self.client = try TLSEngine(client: papers.client, to: SimulatedPapers.name)
    recordBytes = Self.recordBytes[client / 2 % Self.recordBytes.count]
    sendOutput()
  }

  /// So much memory it counts for, and in its handshake: less than in earnest, as bounds are here, too.
  static let sessionMemoryBytes = 3_000
  static let handshakeMemoryBytes = 30_000

  private static let writeBytes = [TLSSession.writeBytes, 30, 200]
  private static let queueLimitBytes = [64 * 1024, 10, 100]
  private static let recordBytes = [TLSEngine.recordBytes, 7, 60]

  var hasOnTheWay: Bool { !onTheWay.isEmpty }
  var onTheWayByteCount: Int { onTheWay.count }
  var isSecured: Bool { session.engine.isSecured }
  /// The client knows the server, and says something whenever it likes.
  var maySpeak: Bool { client.isSecured && client.fault == nil }
  /// The client has given the handshake up.
  var hasGivenUp: Bool { client.fault != nil }
  /// The client waits for plaintext that the gateway has given away.
  var isOwed: Bool { !owed.isEmpty }

  // MARK: What the client hears

  /// Takes what the core has for the client: what the session took it has to bring.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    let taken = unsafe session.write(chunks, over: wire)
    var left = taken
    for index in chunks.indices {
      // They are the core's and stay in place until this returns.
      let part = unsafe chunks[index].prefix(left)
      unsafe owed.append(contentsOf: part)
      left -= unsafe part.count
    }
    expect(left == 0, "more was taken than there was")
    let waiting = session.engine.output.count
    expect(waiting <= mostWaitingBytes, "\(waiting) bytes wait that the stream does not take")
    listen()
    return taken
  }

  /// What was taken at once as ciphertext, and the answers to changes of keys.
  private var mostWaitingBytes: Int {
    let records = (writeBytes + TLSEngine.recordBytes - 1) / TLSEngine.recordBytes
    return writeBytes + (records + keyChanges) * Self.recordOverheadBytes
  }

  /// At most: a header, a kind, a tag, and what changes keys.
  private static let recordOverheadBytes = 27

  /// The client has read. Returns whether the gateway takes more for it.
  func goOnWriting() -> Bool {
    var takesMore = false
    while wire.isWriting && wire.pass() { takesMore = session.becameWritable(over: wire) }
    listen()
    return takesMore
  }

  /// The gateway closes it, and the client reads to the end.
  func close() {
    wire.passAll(session.release(over: wire))
    listen()
    expect(!isOwed, "\(owed.count) bytes were taken, and never reach the client")
    expect(client.peerHasEnded, "it was closed without a word")
  }

  func expectAllHeard() { expect(!isOwed, "\(owed.count) bytes were taken, and are not sent") }

  func listen() {
    let bytes = wire.takeArrived()
    guard !bytes.isEmpty, client.fault == nil else { return }
    let count = client.receive(bytes.span, count: bytes.count, into: &heard)
    let isSame = owed.prefix(count).elementsEqual(heard[..<count]) && count <= owed.count
    expect(isSame, "the client gets something else than it was sent")
    owed.removeFirst(min(count, owed.count))
    expect(
      client.fault == nil || isAltered, "what the client gets is no TLS: \(client.fault?.description ?? "")")
    sendOutput()
  }

  func expect(_ isRight: Bool, _ text: @autoclosure () -> String) {
    if !isRight && complaint == nil { complaint = "under TLS: \(text())" }
  }
}

@available(*, unavailable)
extension SecureChannel: Sendable {}
