/// Reading messages as nearly all programs write them: short numbers or plain strings as ids, the members in the usual
/// order, no white space between them, and no escapes.
///
/// What is read here is right. The first thing that is not for the fast path is left where it is, be it right or wrong.
extension JSONCursor {
  /// Reads a message's members behind its version; false if there is more, or anything that needs judgement.
  @inline(always)
  mutating func readFastMembers(
    into envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> Bool {
    if let id = skipFastID(in: bytes, limits) ?? skipStringID(in: bytes, limits) { envelope[.id] = id }
    if let method = skipFastMethod(in: bytes, limits) {
      envelope[.method] = method
      envelope.isNotification = envelope.id.isEmpty
      while skipFastParamsOrTask(into: &envelope, in: bytes, limits) {}
    } else {
      guard !envelope.id.isEmpty,
        let result = skipFastContainer(ByteWord(",\"result"), in: bytes, limits)
      else { return false }
      envelope[.result] = result
    }
    guard position &+ 1 == end, isAt("}", in: bytes) else { return false }
    position = end
    envelope.isFreeOfLineBreaks = !hasLineBreaks
    return true
  }

  /// Each at most once, in either order.
  @inline(always)
  private mutating func skipFastParamsOrTask(
    into envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> Bool {
    if envelope.params.isEmpty,
      let params = skipFastContainer(ByteWord(",\"params"), in: bytes, limits)
    {
      envelope[.params] = params
      return true
    }
    guard envelope.task.isEmpty,
      let task = skipFastTask(in: bytes, limits, noting: &envelope.fastTask)
    else { return false }
    envelope[.task] = task
    return true
  }

  @inline(always)
  mutating func skipFastID(in bytes: Span<UInt8>, _ limits: ScanLimits) -> ByteRange? {
    guard ByteWord(at: position, in: bytes).begins(with: ",\"id\":") else { return nil }
    let start = position &+ 6
    // A comma must follow: the number has no other parts, and something comes after it.
    guard let stop = endOfNumberID(at: start, in: bytes, limits),
      Self.byte(at: stop, in: bytes) == UInt8(ascii: ",")
    else { return nil }
    position = stop
    return ByteRange(from: start, to: stop)
  }

  /// Where the digits end that an id begins with, in the text; nil when they are none, too many or no number.
  @inline(always)
  func endOfNumberID(at start: Int, in bytes: Span<UInt8>, _ limits: ScanLimits) -> Int? {
    let word = ByteWord(at: start, in: bytes)
    var count = word.digitCount
    if count == ByteWord.byteCount {
      count &+= ByteWord(at: start &+ ByteWord.byteCount, in: bytes).digitCount
    }
    let stop = start &+ count
    guard count > 0, count <= limits.idBytes, word.byte(at: 0) != UInt8(ascii: "0"), stop < end else {
      return nil
    }
    return stop
  }

  @inline(always)
  private mutating func skipStringID(in bytes: Span<UInt8>, _ limits: ScanLimits) -> ByteRange? {
    let start = position &+ 6
    guard ByteWord(at: position, in: bytes).begins(with: ",\"id\":\""),
      let stop = endOfPlainString(at: start, in: bytes), stop < end, stop &- start <= limits.idBytes
    else { return nil }
    position = stop
    return ByteRange(from: start, to: stop)
  }

  @inline(always)
  private mutating func skipFastMethod(in bytes: Span<UInt8>, _ limits: ScanLimits) -> ByteRange? {
    let quotes = 2
    guard let (start, stop) = fastString(ByteWord(",\"method"), in: bytes),
      stop &- start &- quotes <= limits.methodBytes
    else { return nil }
    position = stop
    return ByteRange(from: start, to: stop)
  }

  /// Where the member's value lies that is a plain string.
  ///
  /// - Parameter name: the member's, but for its last quote, with the comma before it.
  @inline(always)
  private func fastString(_ name: ByteWord, in bytes: Span<UInt8>) -> (start: Int, stop: Int)? {
    guard ByteWord(at: position, in: bytes) == name,
      ByteWord(at: position &+ ByteWord.byteCount, in: bytes).begins(with: "\":\"")
    else { return nil }
    let start = position &+ 10
    return endOfPlainString(at: start, in: bytes).map { (start, $0) }
  }

  /// Where the policy lies that most say: three words are compared, and no string's end is looked for.
  @inline(always)
  private func endOfFastPolicy(in bytes: Span<UInt8>) -> (start: Int, stop: Int)? {
    guard ByteWord(at: position, in: bytes) == ByteWord(",\"policy"),
      ByteWord(at: position &+ ByteWord.byteCount, in: bytes) == ByteWord("\":\"cance"),
      Self.isAtPair("l\"", position &+ 2 &* ByteWord.byteCount, in: bytes)
    else { return nil }
    return (position &+ 10, position &+ 18)
  }

  /// - Parameter name: as above.
  @inline(always)
  private mutating func skipFastContainer(
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
  private mutating func skipFastTask(
    in bytes: Span<UInt8>, _ limits: ScanLimits, noting fastTask: inout FastTask
  ) -> ByteRange? {
    let start = position &+ ByteWord.byteCount
    guard ByteWord(at: position, in: bytes) == ByteWord(",\"task\":"), start < end else { return nil }
    var ahead = self
    ahead.position = start
    let depthLimit = limits.nestingLevels &- 1
    guard
      let stop = ahead.endOfKeyAndPolicy(in: bytes, depthLimit: depthLimit, noting: &fastTask)
        ?? ahead.endOfFastTask(in: bytes, depthLimit: depthLimit, noting: &fastTask)
    else { return nil }
    position = stop
    return ByteRange(from: start, to: stop)
  }

  /// Where the task ends that begins here, if it has a key and then nothing or a policy.
  @inline(always)
  func endOfKeyAndPolicy(
    in bytes: Span<UInt8>, depthLimit: Int, noting fastTask: inout FastTask
  ) -> Int? {
    let keyStart = position &+ 7
    guard depthLimit > 0, ByteWord(at: position, in: bytes) == ByteWord("{\"key\":\""),
      let keyEnd = endOfPlainString(at: keyStart, in: bytes)
    else { return nil }
    var ahead = self
    ahead.position = keyEnd
    let policy = ahead.endOfFastPolicy(in: bytes) ?? ahead.fastString(ByteWord(",\"policy"), in: bytes)
    if let policy { ahead.position = policy.stop }
    guard ahead.position < end, ahead.isAt("}", in: bytes) else { return nil }
    fastTask.key = ByteRange(from: keyStart, to: keyEnd)
    if let policy { fastTask.policy = ByteRange(from: policy.start, to: policy.stop) }
    return ahead.position &+ 1
  }
}
