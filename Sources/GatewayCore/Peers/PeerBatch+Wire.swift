import Identity
package import JSONRPC
import Secrets

/// A batch for a loop of another process, in bytes. Requests go as messages, and are scanned again: offsets from
/// another process are not believed.
extension PeerBatch {
  fileprivate enum Kind: UInt8 {
    case opened = 1
    case request, cancel, ended, gone, answers, closed, moved
  }

  /// The sender's side: loops with clients ask, loops with partitions answer.
  package enum Side: Sendable { case asking, owning }

  // MARK: Writing

  package func write(into wire: inout WireWriter) { _ = write(from: 0, upTo: .max, into: &wire) }

  /// Writes some of it: what follows `first` events.
  /// - Parameter limitBytes: once so much is written, no more is begun.
  /// - Returns: how many events have been written by now.
  package func write(from first: Int, upTo limitBytes: Int, into wire: inout WireWriter) -> Int {
    let (bytes, start) = (bytes.span, wire.bytes.count)
    var next = first
    while next < events.count, wire.bytes.count - start < limitBytes {
      write(events[next], in: bytes, into: &wire)
      next += 1
    }
    return next
  }

  private func write(_ event: Event, in bytes: Span<UInt8>, into wire: inout WireWriter) {
    switch event {
    case .opened(let place):
      wire.write(Kind.opened.rawValue)
      newClients[place].write(into: &wire)
    case .request(let client, let envelope, let claim), .beyondBounds(let client, let envelope, let claim, _):
      wire.write(Kind.request.rawValue)
      wire.write(client)
      Self.write(envelope, claim, in: bytes, into: &wire)
    case .moved(let client, let serial, let envelope, let claim):
      wire.write(Kind.moved.rawValue)
      wire.write(client)
      wire.write(serial)
      Self.write(envelope, claim, in: bytes, into: &wire)
    case .cancel(let client, let call, let answered, let isCounted):
      wire.write(Kind.cancel.rawValue)
      wire.write(client)
      wire.write(JSONNumber.nonNegativeInteger(call, in: bytes) ?? 0)
      wire.write(JSONNumber.nonNegativeInteger(answered, in: bytes) ?? 0)
      wire.write(UInt8(isCounted ? 1 : 0))
    case .ended(let client):
      wire.write(Kind.ended.rawValue)
      wire.write(client)
    case .gone(let client):
      wire.write(Kind.gone.rawValue)
      wire.write(client)
    case .answers(let client, let range, let framing):
      wire.write(Kind.answers.rawValue)
      wire.write(client)
      wire.write(UInt8(framing == .lines ? 0 : 1))
      wire.measured { $0.append(bytes, range.range) }
    case .answer: preconditionFailure("another process gets answers framed as its client's")
    case .closed(let client, let serial):
      wire.write(Kind.closed.rawValue)
      wire.write(client)
      wire.write(serial)
    }
  }

  private static func write(
    _ envelope: Envelope, _ claim: PartitionClaim, in bytes: Span<UInt8>, into wire: inout WireWriter
  ) {
    wire.write(claim.partition)
    wire.write(claim.epoch)
    wire.measured {
      $0.append(#"{"jsonrpc":"2.0""#)
      if !envelope.isNotification { $0.append(#","id":"#, envelope.id, bytes) }
      $0.append(#","method":"#, envelope.method, bytes)
      if !envelope.params.isEmpty { $0.append(#","params":"#, envelope.params, bytes) }
      if !envelope.task.isEmpty { $0.append(#","task":"#, envelope.task, bytes) }
      $0.append("}")
    }
  }

  // MARK: Reading

  /// - Parameters:
  ///   - frame: all bytes from the other process.
  ///   - side: the sender's side.
  ///   - limits: what this process allows its own clients.
  /// - Returns: nil: that side cannot send this.
  package init?(_ frame: [UInt8], from side: Side, _ limits: ScanLimits) {
    self.init()
    bytes = frame
    seal()
    var wire = WireReader(frame)
    while !wire.isAtEnd {
      guard let kind = wire.read(UInt8.self).flatMap(Kind.init), kind.side == side else { return nil }
      if kind == .opened {
        guard let client = RemoteClient(from: &wire) else { return nil }
        addOpened(client)
      } else {
        guard let event = Self.read(kind, from: &wire, &bytes, limits) else { return nil }
        add(event)
      }
    }
  }

  private static func read(
    _ kind: Kind, from wire: inout WireReader, _ bytes: inout [UInt8], _ limits: ScanLimits
  ) -> Event? {
    guard let client: Int32 = wire.read(), client >= 0 else { return nil }
    switch kind {
    case .opened: return nil
    case .request:
      guard let request = readRequest(from: &wire, bytes, limits) else { return nil }
      let (envelope, claim, bounds) = request
      guard case .beyond(let isTooDeep) = bounds else { return .request(client: client, envelope, claim) }
      return .beyondBounds(client: client, envelope, claim, isTooDeep: isTooDeep)
    case .moved:
      guard let serial: UInt64 = wire.read() else { return nil }
      return readRequest(from: &wire, bytes, limits).map {
        .moved(client: client, serial: serial, $0.envelope, $0.claim)
      }
    case .cancel:
      guard let call: UInt64 = wire.read(), let answered: UInt64 = wire.read(), let flag: UInt8 = wire.read()
      else { return nil }
      let first = add(call, to: &bytes)
      let second = answered > 0 ? add(answered, to: &bytes) : .none
      return .cancel(client: client, call: first, answered: second, isCounted: flag == 1)
    case .ended: return .ended(client: client)
    case .gone: return .gone(client: client)
    case .answers:
      guard let framing: UInt8 = wire.read(), framing < 2, let range = wire.range() else { return nil }
      return .answers(client: client, ByteRange(range), framing == 0 ? .lines : .contentLength)
    case .closed: return wire.read(UInt64.self).map { .closed(client: client, serial: $0) }
    }
  }

  /// Behind what came, with room behind it.
  private static func add(_ number: UInt64, to bytes: inout [UInt8]) -> ByteRange {
    let start = bytes.count
    bytes.append(decimal: number)
    let range = ByteRange(start..<bytes.count)
    bytes.append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
    return range
  }

  private enum Bounds { case kept, beyond(isTooDeep: Bool) }

  /// Other members may have wider bounds: what they let through is a request here, too.
  private static func readRequest(
    from wire: inout WireReader, _ bytes: [UInt8], _ limits: ScanLimits
  ) -> (envelope: Envelope, claim: PartitionClaim, bounds: Bounds)? {
    guard let partition: Int16 = wire.read(), let epoch: UInt32 = wire.read(), let range = wire.range() else {
      return nil
    }
    var envelope = Envelope()
    var bounds = Bounds.kept
    let outcome = EnvelopeScanner.scan(bytes.span, range, limits, into: &envelope)
    if outcome != .message {
      guard case .message = EnvelopeScanner.scan(bytes.span, range, .widest, into: &envelope) else {
        return nil
      }
      bounds = .beyond(isTooDeep: !outcome.isJSON)
    }
    guard !envelope.isResponse else { return nil }
    return (envelope, PartitionClaim(partition: partition, epoch: epoch), bounds)
  }
}

extension PeerBatch.Kind {
  fileprivate var side: PeerBatch.Side {
    switch self {
    case .opened, .request, .cancel, .ended, .gone: .asking
    case .answers, .closed, .moved: .owning
    }
  }
}

extension WireWriter {
  fileprivate mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ name: StaticString, _ value: ByteRange, _ bytes: Span<UInt8>) {
    append(name)
    append(bytes, value.range)
  }
}

// MARK: - Clients

extension RemoteClient {
  fileprivate func write(into wire: inout WireWriter) {
    wire.write(UInt32(slot))
    wire.write(number)
    wire.write(serial)
    wire.write(UInt32(listener))
    wire.write(kind.wireNumber)
    wire.write(UInt8(framing == .lines ? 0 : 1))
    wire.write(session)
    wire.write(address.map { Array($0.utf8) })
    wire.write(UInt8(way?.wireNumber ?? 0))
    credential.write(into: &wire)
  }

  fileprivate init?(from wire: inout WireReader) {
    guard let slot: UInt32 = wire.read(), slot < Self.mostSlots, let number: UInt64 = wire.read(),
      let serial: UInt64 = wire.read(), let listener: UInt32 = wire.read(),
      let kind = wire.read(UInt8.self).flatMap(ClientKind.init(wireNumber:)),
      let framing: UInt8 = wire.read(), framing < 2,
      let session = wire.optionalText(), let address = wire.optionalText(), let way: UInt8 = wire.read(),
      let credential = Credential?.read(from: &wire)
    else { return nil }
    self.init(
      slot: Int(slot), number: number, serial: serial, listener: Int(listener), kind: kind,
      framing: framing == 0 ? .lines : .contentLength, credential: credential, session: session)
    self.address = address.map { String(decoding: $0, as: UTF8.self) }
    self.way = ClientWay(wireNumber: way)
  }

  /// No loop has as many clients: a table of them by slots stays small whatever is told.
  private static let mostSlots = 1 << 20
}

extension ClientKind {
  fileprivate var wireNumber: UInt8 {
    switch self {
    case .stream: 0
    // Elsewhere there is no difference.
    case .messages, .session: 1
    case .exchange: 2
    }
  }

  fileprivate init?(wireNumber: UInt8) {
    switch wireNumber {
    case 0: self = .stream
    case 1: self = .messages
    case 2: self = .exchange
    default: return nil
    }
  }
}

extension ClientWay {
  private static let kinds: [Kind] = [.stream, .webSocket, .http, .events, .stdio]

  /// From 1 on; above 16: under TLS.
  fileprivate var wireNumber: UInt8 {
    UInt8((Self.kinds.firstIndex(of: kind) ?? 0) + 1) | (isSecure ? 16 : 0)
  }

  fileprivate init?(wireNumber: UInt8) {
    let place = Int(wireNumber & 15) - 1
    guard Self.kinds.indices.contains(place) else { return nil }
    self.init(Self.kinds[place], isSecure: wireNumber & 16 != 0)
  }
}

// MARK: - Who they are

extension Credential? {
  fileprivate func write(into wire: inout WireWriter) {
    switch self {
    case nil: wire.write(UInt8(0))
    case .token(let digest):
      wire.write(UInt8(1))
      wire.write(digest.bytes)
    case .user(let number):
      wire.write(UInt8(2))
      wire.write(number)
    case .certificate(let names):
      wire.write(UInt8(3))
      wire.write(UInt32(names.count))
      for name in names {
        wire.write(name.kind.rawValue)
        wire.write(name.text)
      }
    case .issued(let identity):
      wire.write(UInt8(4))
      identity.write(into: &wire)
    }
  }

  /// The outer nil: it cannot be read.
  fileprivate static func read(from wire: inout WireReader) -> Credential?? {
    switch wire.read(UInt8.self) {
    case 0: return .some(.none)
    case 1: return wire.text().flatMap(TokenDigest.init(bytes:)).map { .some(.token($0)) }
    case 2: return wire.read(UInt32.self).map { .some(.user($0)) }
    case 3:
      guard let count: UInt32 = wire.read() else { return nil }
      var names: [CertificateName] = []
      for _ in 0..<count {
        guard let kind = wire.string().flatMap(CertificateName.Kind.init(rawValue:)), let text = wire.string()
        else { return nil }
        names.append(CertificateName(kind, text))
      }
      return .some(.certificate(names))
    case 4: return IssuedIdentity(from: &wire).map { .some(.issued($0)) }
    default: return nil
    }
  }
}

extension IssuedIdentity {
  fileprivate func write(into wire: inout WireWriter) {
    wire.write(terms.name)
    wire.write(terms.issuer)
    wire.write(UInt32(terms.audiences.count))
    for audience in terms.audiences { wire.write(audience) }
    wire.write(terms.principalClaim)
    wire.write(terms.namespaceClaim.map { Array($0.utf8) })
    wire.write(subject)
    wire.write(namespace.map { Array($0.utf8) })
    wire.write(endSeconds)
    key.write(into: &wire)
  }

  fileprivate init?(from wire: inout WireReader) {
    guard let name = wire.string(), let issuer = wire.string(), let count: UInt32 = wire.read() else {
      return nil
    }
    var audiences: [String] = []
    for _ in 0..<count {
      guard let audience = wire.string() else { return nil }
      audiences.append(audience)
    }
    var terms = IssuerOptions.Terms(name: name, issuer: issuer, audiences: audiences)
    guard let claim = wire.string(), let namespaceClaim = wire.optionalText(), let subject = wire.string(),
      let namespace = wire.optionalText(), let endSeconds: Int64 = wire.read(),
      let key = PublicKey(from: &wire)
    else { return nil }
    terms.principalClaim = claim
    terms.namespaceClaim = namespaceClaim.map { String(decoding: $0, as: UTF8.self) }
    self.init(
      terms: terms, key: key, subject: subject,
      namespace: namespace.map { String(decoding: $0, as: UTF8.self) }, endSeconds: endSeconds)
  }
}

extension PublicKey {
  fileprivate func write(into wire: inout WireWriter) {
    switch self {
    case .ed25519(let bytes):
      wire.write(UInt8(0))
      wire.write(bytes)
    case .p256(let x, let y):
      wire.write(UInt8(1))
      wire.write(x)
      wire.write(y)
    case .rsa(let modulus, let exponent):
      wire.write(UInt8(2))
      wire.write(modulus)
      wire.write(exponent)
    }
  }

  fileprivate init?(from wire: inout WireReader) {
    guard let kind: UInt8 = wire.read(), let first = wire.text() else { return nil }
    switch kind {
    case 0: self = .ed25519(first)
    case 1:
      guard let second = wire.text() else { return nil }
      self = .p256(x: first, y: second)
    case 2:
      guard let second = wire.text() else { return nil }
      self = .rsa(modulus: first, exponent: second)
    default: return nil
    }
  }
}
