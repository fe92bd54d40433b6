/// Decides whether a text is JSON and whether that is a JSON-RPC message, in one pass and without copying.
///
/// The whole text is validated before anything is said about the envelope: malformed JSON wins over an
/// invalid message, and the faults of a message are looked for in the order of `EnvelopeFault`'s cases.
package enum EnvelopeScanner {
  /// Scans the text at `message`, which `JSONText.slackByteCount` bytes of any value must follow.
  package static func scan(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ limits: ScanLimits = ScanLimits(),
    into envelope: inout Envelope
  ) -> ScanOutcome {
    JSONText.requireSlack(after: message, in: bytes)
    var cursor = JSONCursor(message)
    cursor.skipWhitespace(in: bytes)
    guard cursor.isAt("{", in: bytes) else {
      return scanOther(&cursor, in: bytes, depthLimit: limits.nestingLevels, into: &envelope)
    }
    envelope = Envelope()
    var draft = EnvelopeDraft()
    let depthLimit = limits.nestingLevels
    guard readObject(&cursor, into: &envelope, &draft, in: bytes, depthLimit: depthLimit),
      reachesEnd(&cursor, in: bytes)
    else {
      envelope = Envelope()
      return .malformed(offset: cursor.position)
    }
    return draft.judge(&envelope, in: bytes, limits)
  }

  private static func scanOther(
    _ cursor: inout JSONCursor, in bytes: Span<UInt8>, depthLimit: Int, into envelope: inout Envelope
  ) -> ScanOutcome {
    let isBatch = cursor.isAt("[", in: bytes)
    if !isBatch { envelope = Envelope() }
    guard cursor.skipValue(in: bytes, depthLimit: depthLimit), reachesEnd(&cursor, in: bytes) else {
      return .malformed(offset: cursor.position)
    }
    return isBatch ? .batch : .invalid(.notAnObject)
  }

  /// Reads the envelope's own members; what they hold is validated and skipped.
  @inline(always)
  private static func readObject(
    _ cursor: inout JSONCursor, into envelope: inout Envelope, _ draft: inout EnvelopeDraft,
    in bytes: Span<UInt8>, depthLimit: Int
  ) -> Bool {
    cursor.position += 1
    cursor.skipWhitespace(in: bytes)
    if cursor.skip("}", in: bytes) { return true }
    repeat {
      cursor.skipWhitespace(in: bytes)
      guard readMember(&cursor, into: &envelope, &draft, in: bytes, depthLimit: depthLimit) else {
        return false
      }
      cursor.skipWhitespace(in: bytes)
    } while cursor.skip(",", in: bytes)
    return cursor.skip("}", in: bytes)
  }

  @inline(always)
  private static func readMember(
    _ cursor: inout JSONCursor, into envelope: inout Envelope, _ draft: inout EnvelopeDraft,
    in bytes: Span<UInt8>, depthLimit: Int
  ) -> Bool {
    let nameStart = cursor.position + 1
    guard cursor.skipString(in: bytes) else { return false }
    let name = nameStart..<cursor.position - 1
    guard cursor.skipColon(in: bytes) else { return false }
    let valueStart = cursor.position
    guard cursor.skipValue(in: bytes, depthLimit: depthLimit - 1) else { return false }
    if let member = EnvelopeMember(named: name, in: bytes) {
      draft.add(member, ByteRange(valueStart..<cursor.position), to: &envelope)
    }
    return true
  }

  @inline(always)
  private static func reachesEnd(_ cursor: inout JSONCursor, in bytes: Span<UInt8>) -> Bool {
    cursor.skipWhitespace(in: bytes)
    return cursor.isAtEnd
  }
}
