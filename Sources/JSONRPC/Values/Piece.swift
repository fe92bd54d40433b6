/// Some of an answer, before the answer: a notification `lastword.piece`.
package struct Piece {
  package static var method: StaticString { "lastword.piece" }

  /// Of the request that it is for, as it stands there; none: it names none.
  package let id: ByteRange
  /// What it says; never empty.
  package let value: ByteRange
  /// Nothing of the answer, but a message that is said besides it: only between loops.
  package private(set) var isAside = false

  /// Whether a message is a piece, be its params as they should be or not.
  package static func isSaid(in envelope: Envelope, bytes: Span<UInt8>) -> Bool {
    envelope.isNotification && JSONString.equals(envelope.method, in: bytes, method)
  }

  /// Nil: its params are not those of a piece. Of members with the same name the first counts.
  package init?(_ envelope: Envelope, in bytes: Span<UInt8>) {
    guard !envelope.params.isEmpty, bytes[Int(envelope.params.lower)] == UInt8(ascii: "{") else { return nil }
    var (id, value) = (ByteRange.none, ByteRange.none)
    var members = ObjectReader(envelope.params)
    while let member = members.next(in: bytes) {
      if id.isEmpty, member.isNamed("id", in: bytes) {
        id = member.value
      } else if value.isEmpty, member.isNamed("value", in: bytes) {
        value = member.value
      }
    }
    guard !id.isEmpty, !value.isEmpty else { return nil }
    (self.id, self.value) = (id, value)
  }

  /// Reads a message as `MessageWriter.piece` writes it for a request whose id is a number; nil: it is none.
  package init?(writtenAs message: Range<Int>, in bytes: Span<UInt8>) {
    let pieceStart = message.lowerBound + MessageWriter.beforePieceID.utf8CodeUnitCount
    let asideStart = message.lowerBound + MessageWriter.beforeAsideID.utf8CodeUnitCount
    guard max(pieceStart, asideStart) < message.upperBound else { return nil }
    isAside = bytes.holds(MessageWriter.beforeAsideID, in: message.lowerBound..<asideStart)
    guard isAside || bytes.holds(MessageWriter.beforePieceID, in: message.lowerBound..<pieceStart) else {
      return nil
    }
    let start = isAside ? asideStart : pieceStart
    var end = start
    while end < message.upperBound, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end]) { end += 1 }
    let valueStart = end + MessageWriter.beforePieceValue.utf8CodeUnitCount
    let valueEnd = message.upperBound - MessageWriter.behindPiece.utf8CodeUnitCount
    guard end > start, valueStart < valueEnd,
      bytes.holds(MessageWriter.beforePieceValue, in: end..<valueStart),
      bytes.holds(MessageWriter.behindPiece, in: valueEnd..<message.upperBound)
    else { return nil }
    (id, value) = (ByteRange(start..<end), ByteRange(valueStart..<valueEnd))
  }
}

extension MessageWriter {
  package static var beforePieceID: StaticString {
    "{\"jsonrpc\":\"2.0\",\"method\":\"lastword.piece\",\"params\":{\"id\":"
  }
  package static var beforeAsideID: StaticString {
    "{\"jsonrpc\":\"2.0\",\"method\":\"lastword.aside\",\"params\":{\"id\":"
  }
  package static var beforePieceValue: StaticString { ",\"value\":" }
  package static var behindPiece: StaticString { "}}" }

  /// Some of the answer to a request, its value as it came.
  /// - Parameter isAside: the value is a message that is said besides the answer.
  package static func piece<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, _ bytes: Span<UInt8>, _ value: Range<Int>, isAside: Bool = false, as framing: Framing,
    into sink: inout Sink
  ) {
    openPiece(id, valueByteCount: value.count, isAside: isAside, as: framing, into: &sink)
    if framing == .lines { sink.appendAsLine(bytes, value) } else { sink.append(bytes, value) }
    closePiece(as: framing, into: &sink)
  }

  /// What stands before the value of a piece.
  package static func openPiece<Sink: ByteSink & ~Copyable>(
    _ id: RequestID, valueByteCount: Int, isAside: Bool = false, as framing: Framing, into sink: inout Sink
  ) {
    let byteCount = pieceByteCount(id, valueByteCount, isAside: isAside)
    openFrame(as: framing, byteCount: byteCount, into: &sink)
    sink.append(isAside ? beforeAsideID : beforePieceID)
    id.withBytes { sink.append($0) }
    sink.append(beforePieceValue)
  }

  /// What stands behind it.
  package static func closePiece<Sink: ByteSink & ~Copyable>(as framing: Framing, into sink: inout Sink) {
    sink.append(behindPiece)
    closeFrame(as: framing, into: &sink)
  }

  private static func pieceByteCount(_ id: RequestID, _ valueByteCount: Int, isAside: Bool) -> Int {
    var counter = ByteCounter()
    counter.append(isAside ? beforeAsideID : beforePieceID)
    id.withBytes { counter.append($0) }
    counter.append(beforePieceValue)
    counter.append(behindPiece)
    return counter.byteCount + valueByteCount
  }
}
