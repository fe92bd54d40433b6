import HotData
import JSONRPC

/// What one loop has to tell another, in its order: a turn's worth.
package struct PeerBatch: Sendable {
  /// Clients are named by the slots that they have at their own loop.
  enum Event: Sendable {
    // MARK: From the loop that has the client

    /// The client that stands at this place among `newClients` will ask something of yours.
    case opened(Int)
    /// A request: its bytes are where the envelope says, with the number of the call in place of the client's id.
    case request(client: Int32, Envelope, PartitionClaim)
    /// The same for a request beyond this process' bounds. Only another process can send one.
    case beyondBounds(client: Int32, Envelope, PartitionClaim, isTooDeep: Bool)
    /// The client cancels its request with the number that stands at `call`.
    /// - Parameters:
    ///   - answered: the number under which it hears the outcome; none: it does not.
    ///   - isCounted: it hears how many that were; where it hears nothing: the gateway itself takes it back.
    case cancel(client: Int32, call: ByteRange, answered: ByteRange, isCounted: Bool)
    /// It sends no more, and has been answered all.
    case ended(client: Int32)
    /// Nobody is there any more.
    case gone(client: Int32)

    // MARK: From the loop that has the keys

    /// Answers, framed as the client's are.
    case answers(client: Int32, ByteRange, Framing)
    /// The answer to the call with this number, as it is: only between loops of one process.
    case answer(call: UInt64, AnswerBody)
    /// The mirror is given up, and its client has to be.
    case closed(client: Int32, serial: UInt64)

    // MARK: From a member that has a partition, or had it

    /// A request comes back as it was asked: nothing has been done about it, and this member will not.
    case moved(client: Int32, serial: UInt64, Envelope, PartitionClaim)
  }

  private(set) var events: [Event] = []
  /// Clients that come for the first time.
  private(set) var newClients: [RemoteClient] = []
  /// The bytes of requests and answers. At the end there is room for scanners that load wide words.
  var bytes: [UInt8] = []

  package init() {}

  package var isEmpty: Bool { events.isEmpty }
  package var eventCount: Int { events.count }
  /// Of these, what clients ask.
  package var requestCount: Int { events.count { if case .request = $0 { true } else { false } } }
  /// So much memory it takes, about.
  package var byteCount: Int { bytes.count &+ events.count &* MemoryLayout<Event>.stride }

  /// The same, as its memory has grown.
  var grownByteCount: Int { bytes.grownByteCount &+ 2 &* events.count &* MemoryLayout<Event>.stride }

  /// That of a request, or of what takes one back.
  func byteCount(of event: Int) -> Int {
    guard case .request(_, let envelope, _) = events[event] else { return MemoryLayout<Event>.stride }
    return Self.byteCount(of: envelope)
  }

  static func byteCount(of request: Envelope) -> Int {
    MemoryLayout<Event>.stride + request.method.count + request.params.count + request.task.count
  }

  // MARK: Writing

  /// Where the text is that `write` appends.
  private mutating func range(_ write: (inout [UInt8]) -> Void) -> ByteRange {
    let start = bytes.count
    write(&bytes)
    return ByteRange(start..<bytes.count)
  }

  mutating func add(_ event: Event) { events.append(event) }

  mutating func addOpened(_ client: RemoteClient) {
    events.append(.opened(newClients.count))
    newClients.append(client)
  }

  /// Completes what is known of clients that are told of for the first time.
  package mutating func nameClients(_ name: (inout RemoteClient) -> Void) {
    for index in newClients.indices { name(&newClients[index]) }
  }

  mutating func range(ofNumber number: UInt64) -> ByteRange { range { $0.append(decimal: number) } }

  /// A copy of what a client asks, with the call's number in place of its id; nil: it is a notification.
  mutating func addRequest(
    _ envelope: Envelope, in source: Span<UInt8>, call: UInt64?, from client: Int, about claim: PartitionClaim
  ) {
    let copy = copy(envelope, of: source, call: call)
    events.append(.request(client: Int32(truncatingIfNeeded: client), copy, claim))
  }

  /// A copy of what another batch says that a client asks, or takes back.
  mutating func add(_ event: Int, of other: PeerBatch) {
    let source = other.bytes.span
    switch other.events[event] {
    case .request(let client, let envelope, let claim):
      var copied = copy(envelope, of: source, call: nil)
      copied.id = copy(envelope.id, of: source)
      events.append(.request(client: client, copied, claim))
    case .cancel(let client, let call, let answered, let isCounted):
      let (call, answered) = (copy(call, of: source), copy(answered, of: source))
      events.append(.cancel(client: client, call: call, answered: answered, isCounted: isCounted))
    default: preconditionFailure("only what a client asks is copied")
    }
  }

  private mutating func copy(_ part: ByteRange, of source: Span<UInt8>) -> ByteRange {
    part.isEmpty ? part : range { $0.append(source, part.range) }
  }

  /// Gives a request back as it came.
  mutating func addMoved(
    _ envelope: Envelope, in source: Span<UInt8>, from client: Int32, serial: UInt64,
    about claim: PartitionClaim
  ) {
    let call = JSONNumber.nonNegativeInteger(envelope.id, in: source)
    events.append(
      .moved(client: client, serial: serial, copy(envelope, of: source, call: call), claim))
  }

  @inline(__always)
  private mutating func copy(
    _ envelope: Envelope, of source: Span<UInt8>, call: UInt64?
  ) -> Envelope {
    // One copy of all from the first of them to the last costs less than one of each.
    let parts = envelope.method.joined(with: envelope.params).joined(with: envelope.task)
    let (text, start) = (source.extracting(parts.range), bytes.count)
    bytes.write(upTo: text.count + Self.numberBytes) {
      if let call { $0.append(decimal: call) }
      $0.append(text)
    }
    let copies = ByteRange(bytes.count - text.count..<bytes.count)
    var copy = Envelope()
    copy.isNotification = envelope.isNotification
    copy.methodHasEscapes = envelope.methodHasEscapes
    copy.isFreeOfLineBreaks = envelope.isFreeOfLineBreaks
    if call != nil { copy.id = ByteRange(start..<Int(copies.lower)) }
    copy.method = envelope.method.moved(from: parts, to: copies)
    copy.params = envelope.params.moved(from: parts, to: copies)
    copy.task = envelope.task.moved(from: parts, to: copies)
    copy.fastTask = envelope.fastTask.moved(from: parts, to: copies)
    return copy
  }

  /// A number's digits, and the room for words that a cursor asks for besides.
  private static let numberBytes = 20 + 24

  /// Some of what is written to a client: what follows at once belongs to it, too.
  package mutating func addAnswers(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to mirror: MirrorName
  )
    -> Int
  {
    let start = bytes.count
    // Valid during the call, and nothing of them is kept.
    for index in chunks.indices { unsafe bytes.append(contentsOf: chunks[index]) }
    let client = Int32(truncatingIfNeeded: mirror.slot)
    if case .answers(client, let range, mirror.framing)? = events.last {
      events[events.count - 1] = .answers(
        client: client, ByteRange(Int(range.lower)..<bytes.count), mirror.framing)
    } else {
      events.append(.answers(client: client, ByteRange(start..<bytes.count), mirror.framing))
    }
    return bytes.count - start
  }

  /// Whether what was added last is for this one: the rest of a message may follow.
  package func ends(with mirror: MirrorName) -> Bool {
    if case .answers(let client, _, _)? = events.last { Int(client) == mirror.slot } else { false }
  }

  /// A result or an error object, without the message around it.
  mutating func addAnswer(_ answer: AnswerBody, in source: Span<UInt8>, toCall call: UInt64) {
    var copy = answer
    let (text, start) = (source.extracting(answer.range), bytes.count)
    bytes.write(upTo: text.count) { $0.append(text) }
    copy.range = start..<bytes.count
    events.append(.answer(call: call, copy))
  }

  /// An answer to a client that has no mirror, as a line.
  mutating func addAnswer(toClient client: Int32, _ write: (inout [UInt8]) -> Void) {
    let answer = range(write)
    events.append(.answers(client: client, answer, .lines))
  }

  package mutating func addClosed(_ mirror: MirrorName) {
    events.append(.closed(client: Int32(truncatingIfNeeded: mirror.slot), serial: mirror.serial))
  }

  /// The last word to a mirror that a reload has turned away, for its client's own member. It answers no call.
  static let turnedAway = RPCError.unauthenticated.with(
    message: "another member does not know who it is any more")

  /// Whether the client that is closed there was said that just before.
  func saysTurnedAway(before event: Int) -> Bool {
    guard event > 0, case .closed(let client, _) = events[event],
      case .answers(client, let range, let framing) = events[event - 1]
    else { return false }
    var word: [UInt8] = []
    MessageWriter.error(RequestID(), Self.turnedAway, as: framing, into: &word)
    return bytes[range.range].suffix(word.count).elementsEqual(word)
  }

  /// Nothing more comes into it.
  mutating func seal() {
    bytes.append(contentsOf: Self.slack)
  }

  private static let slack = [UInt8](repeating: 0, count: JSONText.slackByteCount)

  /// Keeps its memory, unless that is much or shared.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: events.capacity <= Self.keptEvents)
    newClients.removeAll()
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytes)
  }

  /// Whether it takes more memory than is kept.
  var isLong: Bool {
    bytes.capacity > Self.keptBytes || events.capacity > Self.keptEvents || newClients.count > Self.keptEvents
  }

  /// With room for more.
  var keptByteCount: Int { bytes.capacity &+ events.capacity &* MemoryLayout<Event>.stride }

  private static let keptEvents = 256
  private static let keptBytes = 64 * 1024
}

extension PeerBatch {
  private func text(_ range: ByteRange) -> String { String(decoding: bytes[range.range], as: UTF8.self) }

  /// The params of requests that come back, for a simulation that follows the batches.
  package var moved: [(params: String, claim: PartitionClaim)] {
    events.compactMap { event in
      if case .moved(_, _, let envelope, let claim) = event { (text(envelope.params), claim) } else { nil }
    }
  }

  /// For the same: all of it.
  package var summary: String {
    events.map { event in
      switch event {
      case .opened(let place): "opened \(newClients[place].slot)"
      case .request(_, let envelope, let claim):
        "request \(text(envelope.params)) partition \(claim.partition) epoch \(claim.epoch)"
      case .beyondBounds(_, let envelope, _, _): "beyond bounds \(text(envelope.method))"
      case .cancel(_, let call, _, _): "cancel \(text(call))"
      case .ended(let client): "ended \(client)"
      case .gone(let client): "gone \(client)"
      case .answers(_, let range, _): "answers \(text(range).split(separator: "\n").count)"
      case .answer(let call, let body): "answer \(call) \(bytes[body.range].count)"
      case .closed(let client, _): "closed \(client)"
      case .moved(_, _, let envelope, let claim):
        "moved \(text(envelope.params)) partition \(claim.partition) epoch \(claim.epoch)"
      }
    }.joined(separator: ", ")
  }
}
