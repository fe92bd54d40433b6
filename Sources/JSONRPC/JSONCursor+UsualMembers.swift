/// Reading messages as nearly all programs write them: short numbers as ids, the members in the usual order, no white
/// space between them, and no escapes.
///
/// What is read here is right. The first thing that is not usual is left where it is, be it right or wrong.
extension JSONCursor {
  /// Reads what follows the version of a message; false when that is not all of it, or is nothing that needs no
  /// judgement.
  @inline(always)
  mutating func readUsualMembers(
    into envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> Bool {
    if let id = skipUsualID(in: bytes, limits) { envelope[.id] = id }
    let method = skipUsualMethod(in: bytes, limits)
    let content: EnvelopeMember = method == nil ? .result : .params
    let name = method == nil ? ByteWord(",\"result") : ByteWord(",\"params")
    let value = skipUsualContainer(name, in: bytes, limits)
    if let value { envelope[content] = value }
    if let method {
      envelope[.method] = method
      envelope.isNotification = envelope.id.isEmpty
      if let task = skipUsualTask(in: bytes, limits, noting: &envelope.usualTask) { envelope[.task] = task }
    } else if value == nil || envelope.id.isEmpty {
      return false
    }
    guard position &+ 1 == end, isAt("}", in: bytes) else { return false }
    position = end
    envelope.isFreeOfLineBreaks = !hasLineBreaks
    return true
  }

  @inline(always)
  private mutating func skipUsualID(in bytes: Span<UInt8>, _ limits: ScanLimits) -> ByteRange? {
    guard ByteWord(at: position, in: bytes).begins(with: ",\"id\":") else { return nil }
    let start = position &+ 6
    let word = ByteWord(at: start, in: bytes)
    var count = word.digitCount
    if count == ByteWord.byteCount {
      count &+= ByteWord(at: start &+ ByteWord.byteCount, in: bytes).digitCount
    }
    let stop = start &+ count
    // What is no digit must be a comma: the number has no other parts, and something comes after it.
    guard count > 0, count <= limits.idBytes, word.byte(at: 0) != UInt8(ascii: "0"), stop < end,
      Self.byte(at: stop, in: bytes) == UInt8(ascii: ",")
    else { return nil }
    position = stop
    return ByteRange(from: start, to: stop)
  }

  @inline(always)
  private mutating func skipUsualMethod(in bytes: Span<UInt8>, _ limits: ScanLimits) -> ByteRange? {
    guard ByteWord(at: position, in: bytes) == ByteWord(",\"method"),
      ByteWord(at: position &+ ByteWord.byteCount, in: bytes).begins(with: "\":\"")
    else { return nil }
    let start = position &+ 10
    guard let stop = endOfPlainString(at: start, in: bytes),
      stop &- start &- 2 <= limits.methodBytes
    else {
      return nil
    }
    position = stop
    return ByteRange(from: start, to: stop)
  }

  /// - Parameter name: the member's, but for its last quote, with the comma before it.
  @inline(always)
  private mutating func skipUsualContainer(
    _ name: ByteWord, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> ByteRange? {
    guard ByteWord(at: position, in: bytes) == name,
      ByteWord(at: position &+ ByteWord.byteCount, in: bytes).begins(with: "\":")
    else { return nil }
    var ahead = self
    ahead.position &+= 10
    let start = ahead.position
    guard start < end, ahead.byte(in: bytes).opensContainer,
      ahead.skipContainer(in: bytes, depthLimit: limits.nestingLevels &- 1)
    else { return nil }
    self = ahead
    return ByteRange(from: start, to: position)
  }

  @inline(always)
  private mutating func skipUsualTask(
    in bytes: Span<UInt8>, _ limits: ScanLimits, noting usualTask: inout UsualTask
  ) -> ByteRange? {
    guard ByteWord(at: position, in: bytes) == ByteWord(",\"task\":") else { return nil }
    var ahead = self
    ahead.position &+= ByteWord.byteCount
    let start = ahead.position
    guard start < end,
      let stop = ahead.endOfUsualTask(in: bytes, depthLimit: limits.nestingLevels &- 1, noting: &usualTask)
    else { return nil }
    position = stop
    return ByteRange(from: start, to: stop)
  }
}
