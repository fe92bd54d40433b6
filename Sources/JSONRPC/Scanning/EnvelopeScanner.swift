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
    guard let version = cursor.skipFastBeginning(in: bytes) else {
      guard cursor.skipOpeningBrace(in: bytes) else {
        return scanOnSlowPath(cursor, in: bytes, limits, into: &envelope)
      }
      return scanMembers(from: cursor, isAtStart: true, in: bytes, limits, into: &envelope)
    }
    envelope = Envelope()
    envelope[.jsonrpc] = version
    let isRead = cursor.readFastMembers(into: &envelope, in: bytes, limits)
    return isRead ? .message : scanMembers(from: cursor, isAtStart: false, in: bytes, limits, into: &envelope)
  }

  /// Scans a text that is known to be JSON, and nested no deeper than it may be.
  package static func scanKnown(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ limits: ScanLimits, into envelope: inout Envelope
  ) -> ScanOutcome {
    JSONText.requireSlack(after: message, in: bytes)
    let outcome = scanOnSlowPath(JSONCursor(message, isKnown: true), in: bytes, limits, into: &envelope)
    envelope.isFreeOfLineBreaks = !bytes.holdsLineBreaks(in: message)
    return outcome
  }

  @inline(never)
  private static func scanOnSlowPath(
    _ start: JSONCursor, in bytes: Span<UInt8>, _ limits: ScanLimits, into envelope: inout Envelope
  ) -> ScanOutcome {
    var cursor = start
    cursor.skipWhitespace(in: bytes)
    guard cursor.skipOpeningBrace(in: bytes) else {
      return scanOther(&cursor, in: bytes, depthLimit: limits.nestingLevels, into: &envelope)
    }
    return scanMembers(from: cursor, isAtStart: true, in: bytes, limits, into: &envelope)
  }

  /// Scans what comes after the opening bracket, or after members that have been read.
  @inline(never)
  private static func scanMembers(
    from start: JSONCursor, isAtStart: Bool, in bytes: Span<UInt8>, _ limits: ScanLimits,
    into envelope: inout Envelope
  ) -> ScanOutcome {
    if isAtStart { envelope = Envelope() }
    var (cursor, isAtStart) = (start, isAtStart)
    switch cursor.readMembersInAnyOrder(isAtStart: &isAtStart, into: &envelope, in: bytes, limits) {
    case .message: return .message
    case .members: return scanRest(from: cursor, isAtStart: isAtStart, in: bytes, limits, into: &envelope)
    case .wrong:
      envelope = Envelope()
      return malformed(cursor)
    }
  }

  /// Scans what is left of a message, and judges all of it.
  @inline(never)
  private static func scanRest(
    from start: JSONCursor, isAtStart: Bool, in bytes: Span<UInt8>, _ limits: ScanLimits,
    into envelope: inout Envelope
  ) -> ScanOutcome {
    var cursor = start
    var draft = EnvelopeDraft()
    let depthLimit = limits.nestingLevels
    guard
      readObject(&cursor, isAtStart: isAtStart, into: &envelope, &draft, in: bytes, depthLimit: depthLimit),
      reachesEnd(&cursor, in: bytes)
    else {
      envelope = Envelope()
      return malformed(cursor)
    }
    envelope.isFreeOfLineBreaks = !cursor.hasLineBreaks
    return draft.judge(&envelope, in: bytes, limits)
  }

  private static func scanOther(
    _ cursor: inout JSONCursor, in bytes: Span<UInt8>, depthLimit: Int, into envelope: inout Envelope
  ) -> ScanOutcome {
    let isBatch = !cursor.isAtEnd && cursor.isAt("[", in: bytes)
    if !isBatch { envelope = Envelope() }
    guard cursor.skipValue(in: bytes, depthLimit: depthLimit), reachesEnd(&cursor, in: bytes) else {
      return malformed(cursor)
    }
    return isBatch ? .batch : .invalid(.notAnObject)
  }

  private static func malformed(_ cursor: JSONCursor) -> ScanOutcome {
    let offset = cursor.faultOffset
    return cursor.isTooDeep ? .tooDeep(offset: offset) : .malformed(offset: offset)
  }

  /// Reads the envelope's own members; what they hold is validated and skipped.
  @inline(always)
  private static func readObject(
    _ cursor: inout JSONCursor, isAtStart: Bool, into envelope: inout Envelope,
    _ draft: inout EnvelopeDraft, in bytes: Span<UInt8>, depthLimit: Int
  ) -> Bool {
    if isAtStart {
      if cursor.skip("}", in: bytes) { return true }
    } else {
      guard cursor.skip(",", in: bytes) else { return cursor.skip("}", in: bytes) }
    }
    repeat {
      guard readMember(&cursor, into: &envelope, &draft, in: bytes, depthLimit: depthLimit) else {
        return false
      }
    } while cursor.skip(",", in: bytes)
    return cursor.skip("}", in: bytes)
  }

  @inline(always)
  private static func readMember(
    _ cursor: inout JSONCursor, into envelope: inout Envelope, _ draft: inout EnvelopeDraft,
    in bytes: Span<UInt8>, depthLimit: Int
  ) -> Bool {
    guard cursor.skip("\"", in: bytes) else { return false }
    var member = cursor.skipPlainMemberName(in: bytes)
    if member == nil {
      let nameStart = cursor.position
      guard cursor.skipAnyName(in: bytes) else { return false }
      member = EnvelopeMember(escapedName: nameStart..<cursor.position &- 1, in: bytes)
    }
    guard cursor.skip(":", in: bytes) else { return false }
    cursor.skipWhitespace(in: bytes)
    let valueStart = cursor.position
    if member == .task,
      let taskEnd = cursor.endOfFastTask(
        in: bytes, depthLimit: depthLimit &- 1, noting: &envelope.fastTask)
    {
      cursor.position = taskEnd
    } else {
      guard cursor.skipValue(in: bytes, depthLimit: depthLimit &- 1) else { return false }
    }
    if let member { draft.add(member, ByteRange(from: valueStart, to: cursor.position), to: &envelope) }
    return true
  }

  @inline(always)
  private static func reachesEnd(_ cursor: inout JSONCursor, in bytes: Span<UInt8>) -> Bool {
    if !cursor.isAtEnd { cursor.skipWhitespace(in: bytes) }
    return cursor.isAtEnd
  }
}

extension JSONCursor {
  /// Skips what nearly every message begins with, and says where in it the version is.
  @inline(always)
  mutating func skipFastBeginning(in bytes: Span<UInt8>) -> ByteRange? {
    let nameEnd = position &+ ByteWord.byteCount
    guard ByteWord(at: position, in: bytes) == ByteWord("{\"jsonrp"),
      ByteWord(at: nameEnd, in: bytes) == ByteWord("c\":\"2.0\"")
    else { return nil }
    position = nameEnd &+ ByteWord.byteCount
    return ByteRange(from: position &- 5, to: position)
  }

  @inline(always)
  fileprivate mutating func skipOpeningBrace(in bytes: Span<UInt8>) -> Bool {
    guard !isAtEnd, isAt("{", in: bytes) else { return false }
    position &+= 1
    return true
  }

  /// Skips a name that the fast path does not know.
  @inline(always)
  fileprivate mutating func skipAnyName(in bytes: Span<UInt8>) -> Bool {
    // A copy makes the call, so that this cursor can stay in registers.
    var ahead = self
    defer { position = ahead.position }
    return ahead.skipStringApart(in: bytes)
  }

  @inline(never)
  private mutating func skipStringApart(in bytes: Span<UInt8>) -> Bool { skipString(in: bytes) }
}
