import JSONRPC
import LibUV

/// Answers that come in pieces.
extension LoadRun {
  /// Takes a notification if it is a piece; false: it is none.
  func gavePiece(_ envelope: Envelope, in bytes: Span<UInt8>, over link: LoadLink) -> Bool {
    guard link.connection != nil, Piece.isSaid(in: envelope, bytes: bytes),
      let piece = Piece(envelope, in: bytes)
    else { return false }
    let number = JSONNumber.nonNegativeInteger(piece.id, in: bytes) ?? 0
    let claims = claims(of: piece.value, in: bytes)
    let now = PreciseTimer.nowNanoseconds
    var before: OpenRequest?
    let violation = oracle.gavePiece(
      claims, place: place(in: piece.value, of: bytes), of: number, on: link.lane
    ) { request in
      before = request
      request.lastPieceNanoseconds = now
    }
    if let before { recorder.piece(of: before, at: now) }
    // Without a gateway nothing drops stale pieces: they are only counted.
    if let violation, !options.isDirect { violated(violation, lane: link.lane, key: key(ofOpen: number)) }
    return true
  }

  private func place(in value: ByteRange, of bytes: Span<UInt8>) -> UInt64? {
    guard bytes[value.range.lowerBound] == UInt8(ascii: "{") else { return nil }
    var members = ObjectReader(value)
    while let member = members.next(in: bytes) {
      if member.isNamed("i", in: bytes) { return JSONNumber.nonNegativeInteger(member.value, in: bytes) }
    }
    return nil
  }

  /// The end of a request says how many there were, and a result comes behind all of them.
  func checkPieces(of request: OpenRequest, _ envelope: Envelope, in bytes: Span<UInt8>) {
    let whole = envelope.error.isEmpty ? UInt64(options.workload.pieces.count) : nil
    let said = envelope.error.isEmpty ? nil : saidPieces(envelope.error, in: bytes)
    guard let violation = LoadOracle.judgePieces(of: request, said: said, whole: whole) else { return }
    violated(violation, lane: Int(request.connection), key: nil)
  }

  private func saidPieces(_ error: ByteRange, in bytes: Span<UInt8>) -> UInt64? {
    guard let data = member("data", of: error, in: bytes), data.kind == .object,
      let pieces = member("pieces", of: data.value, in: bytes)
    else { return nil }
    return JSONNumber.nonNegativeInteger(pieces.value, in: bytes)
  }

  private func member(_ name: StaticString, of object: ByteRange, in bytes: Span<UInt8>) -> Member? {
    var members = ObjectReader(object)
    while let member = members.next(in: bytes) { if member.isNamed(name, in: bytes) { return member } }
    return nil
  }
}
