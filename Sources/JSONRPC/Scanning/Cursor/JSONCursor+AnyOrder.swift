/// Reading messages as most other programs write them: the members in any order, behind a comma and a colon a blank or
/// none, and no escapes in what is told apart.
///
/// What is read here is right. The first member that is not for the fast path is left, with the comma before it.
extension JSONCursor {
  enum Reading {
    /// All was read, and needs no judgement.
    case message
    /// Members are left, or have to be judged.
    case members
    /// A container here is no JSON; that shows at the place that was reached.
    case wrong
  }

  private enum MemberEnd {
    case at(Int)
    /// The member is left to others, be it right or wrong.
    case unknown
    case wrong
  }

  /// Reads members up to the end, or to one that is not for the fast path.
  ///
  /// - Parameter isAtStart: whether the place is behind the opening bracket; false once a member was read.
  @inline(always)
  mutating func readMembersInAnyOrder(
    isAtStart: inout Bool, into envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> Reading {
    reading: while position < end {
      var start = position
      if !isAtStart {
        guard isAt(",", in: bytes) else { break }
        start &+= 1
      }
      switch readMember(at: behindBlank(start, in: bytes), into: &envelope, in: bytes, limits) {
      case .at(let stop):
        guard stop <= end else { break reading }
        position = stop
        isAtStart = false
      case .unknown: break reading
      case .wrong: return .wrong
      }
    }
    guard position &+ 1 == end, isAt("}", in: bytes), Self.isMessage(envelope) else { return .members }
    position = end
    envelope.isNotification = !envelope.method.isEmpty && envelope.id.isEmpty
    envelope.isFreeOfLineBreaks = !hasLineBreaks
    return .message
  }

  /// Whether these are members of a message, each of which was right by itself.
  @inline(always)
  private static func isMessage(_ envelope: Envelope) -> Bool {
    if envelope.version.isEmpty { return false }
    if !envelope.method.isEmpty { return envelope.result.isEmpty && envelope.error.isEmpty }
    return !envelope.id.isEmpty && envelope.result.isEmpty != envelope.error.isEmpty
  }

  /// Reads the member whose name begins there.
  @inline(always)
  private mutating func readMember(
    at start: Int, into envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> MemberEnd {
    let word = ByteWord(at: start, in: bytes)
    let behind = ByteWord(at: start &+ ByteWord.byteCount, in: bytes)
    if word.begins(with: "\"id\":") {
      let value = behindBlank(start &+ 5, in: bytes)
      guard envelope.id.isEmpty, let stop = endOfID(at: value, in: bytes, limits) else { return .unknown }
      envelope[.id] = ByteRange(from: value, to: stop)
      return .at(stop)
    }
    if word == ByteWord("\"method\""), behind.begins(with: ":") {
      let value = behindBlank(start &+ 9, in: bytes)
      guard envelope.method.isEmpty, let stop = endOfMethod(at: value, in: bytes, limits) else {
        return .unknown
      }
      envelope[.method] = ByteRange(from: value, to: stop)
      return .at(stop)
    }
    if word.begins(with: "\"task\":") { return readTask(at: start &+ 7, into: &envelope, in: bytes, limits) }
    if word == ByteWord("\"jsonrpc"), behind.begins(with: "\":") {
      let value = behindBlank(start &+ 10, in: bytes)
      guard envelope.version.isEmpty, ByteWord(at: value, in: bytes).begins(with: "\"2.0\"") else {
        return .unknown
      }
      envelope[.jsonrpc] = ByteRange(from: value, to: value &+ 5)
      return .at(value &+ 5)
    }
    var (member, nameEnd) = (EnvelopeMember.params, start &+ 9)
    if word == ByteWord("\"error\":") {
      (member, nameEnd) = (.error, start &+ 8)
    } else {
      if word == ByteWord("\"result\"") {
        member = .result
      } else if word != ByteWord("\"params\"") {
        return .unknown
      }
      guard behind.begins(with: ":") else { return .unknown }
    }
    return readContainer(member, at: nameEnd, into: &envelope, in: bytes, limits)
  }

  /// Where the id ends, a number or a plain string; nil for any other.
  @inline(always)
  private func endOfID(at start: Int, in bytes: Span<UInt8>, _ limits: ScanLimits) -> Int? {
    if Self.byte(at: start, in: bytes) == UInt8(ascii: "\"") {
      guard let stop = endOfPlainString(at: start, in: bytes), stop &- start <= limits.idBytes else {
        return nil
      }
      return stop
    }
    guard let stop = endOfNumberID(at: start, in: bytes, limits) else { return nil }
    // The number has no other parts, and no blank follows it.
    let after = Self.byte(at: stop, in: bytes)
    return after == UInt8(ascii: ",") || after == UInt8(ascii: "}") ? stop : nil
  }

  @inline(always)
  private func endOfMethod(at start: Int, in bytes: Span<UInt8>, _ limits: ScanLimits) -> Int? {
    let quotes = 2
    guard Self.byte(at: start, in: bytes) == UInt8(ascii: "\""),
      let stop = endOfPlainString(at: start, in: bytes), stop &- start &- quotes <= limits.methodBytes
    else { return nil }
    return stop
  }

  @inline(always)
  private func readTask(
    at nameEnd: Int, into envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> MemberEnd {
    var ahead = self
    ahead.position = behindBlank(nameEnd, in: bytes)
    let depthLimit = limits.nestingLevels &- 1
    guard envelope.task.isEmpty, ahead.position < end,
      let stop = ahead.endOfKeyAndPolicy(in: bytes, depthLimit: depthLimit, noting: &envelope.fastTask)
        ?? ahead.endOfFastTask(in: bytes, depthLimit: depthLimit, noting: &envelope.fastTask)
    else { return .unknown }
    envelope[.task] = ByteRange(from: ahead.position, to: stop)
    return .at(stop)
  }

  /// Reads params, a result or an error, which must be an object: a list is left.
  @inline(never)
  private mutating func readContainer(
    _ member: EnvelopeMember, at nameEnd: Int, into envelope: inout Envelope, in bytes: Span<UInt8>,
    _ limits: ScanLimits
  ) -> MemberEnd {
    let start = behindBlank(nameEnd, in: bytes)
    let first = Self.byte(at: start, in: bytes)
    guard envelope[member].isEmpty, start < end,
      member == .error ? first == UInt8(ascii: "{") : first.opensContainer
    else { return .unknown }
    position = start
    guard skipSpacedContainer(in: bytes, depthLimit: limits.nestingLevels &- 1) else { return .wrong }
    envelope[member] = ByteRange(from: start, to: position)
    return .at(position)
  }
}
