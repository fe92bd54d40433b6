/// Judges an envelope once all of its members are known; beside them it needs what no envelope keeps.
struct EnvelopeDraft {
  private var hasDuplicate = false

  @inline(always)
  mutating func add(_ member: EnvelopeMember, _ value: ByteRange, to envelope: inout Envelope) {
    // No value is empty.
    if envelope[member].isEmpty { envelope[member] = value } else { hasDuplicate = true }
  }

  /// Completes the envelope of a message; of any other it leaves what an answer needs.
  @inline(always)
  func judge(
    _ envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> ScanOutcome {
    envelope.isNotification = envelope.id.isEmpty && firstByte(of: envelope.method, in: bytes) == .quote
    if let fault = idFault(envelope.id, in: bytes, limits) {
      envelope = Envelope(id: .none, of: envelope)
      return .invalid(hasDuplicate ? .duplicateMember : fault)
    }
    if let fault = hasDuplicate ? .duplicateMember : contentFault(&envelope, in: bytes, limits) {
      envelope = Envelope(id: envelope.id, of: envelope)
      return .invalid(fault)
    }
    if firstByte(of: envelope.params, in: bytes) == UInt8(ascii: "n") { envelope.params = .none }
    envelope.methodHasEscapes = JSONString.hasEscapes(envelope.method, in: bytes)
    return .message
  }

  @inline(always)
  private func idFault(_ id: ByteRange, in bytes: Span<UInt8>, _ limits: ScanLimits) -> EnvelopeFault? {
    switch firstByte(of: id, in: bytes) {
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "["), UInt8(ascii: "{"): .invalidID
    default: id.count <= limits.idBytes ? nil : .idTooLong(limitBytes: limits.idBytes)
    }
  }

  @inline(always)
  private func contentFault(
    _ envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> EnvelopeFault? {
    if envelope.method.isEmpty && !envelope.isResponse { return .noMethod }
    if envelope.version.isEmpty { return .missingVersion }
    guard isVersion2(envelope.version, in: bytes) else { return .wrongVersion }
    return envelope.isResponse
      ? responseFault(&envelope, in: bytes) : requestFault(&envelope, in: bytes, limits)
  }

  @inline(always)
  private func isVersion2(_ version: ByteRange, in bytes: Span<UInt8>) -> Bool {
    // A string that begins like this ends with it.
    if ByteWord(at: Int(version.lower), in: bytes).begins(with: "\"2.0\"") { return true }
    return firstByte(of: version, in: bytes) == .quote && JSONString.equals(version, in: bytes, "2.0")
  }

  @inline(always)
  private func requestFault(
    _ envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> EnvelopeFault? {
    guard firstByte(of: envelope.method, in: bytes) == .quote else { return .methodNotAString }
    let quotes = 2
    guard envelope.method.count - quotes <= limits.methodBytes else {
      return .methodTooLong(limitBytes: limits.methodBytes)
    }
    switch firstByte(of: envelope.params, in: bytes) {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"), 0: break
    default: return .paramsNotStructured
    }
    let task = firstByte(of: envelope.task, in: bytes)
    return task == 0 || task == UInt8(ascii: "{") ? nil : .taskNotAnObject
  }

  private func responseFault(_ envelope: inout Envelope, in bytes: Span<UInt8>) -> EnvelopeFault? {
    forgetNullBesideOther(in: &envelope, bytes)
    guard envelope.result.isEmpty || envelope.error.isEmpty else { return .resultAndError }
    guard envelope.error.isEmpty || firstByte(of: envelope.error, in: bytes) == UInt8(ascii: "{") else {
      return .errorNotAnObject
    }
    return envelope.id.isEmpty ? .responseWithoutID : nil
  }

  /// Programs that always write both leave one of them null.
  private func forgetNullBesideOther(in envelope: inout Envelope, _ bytes: Span<UInt8>) {
    guard !envelope.result.isEmpty, !envelope.error.isEmpty else { return }
    if firstByte(of: envelope.error, in: bytes) == UInt8(ascii: "n") {
      envelope[.error] = .none
    } else if firstByte(of: envelope.result, in: bytes) == UInt8(ascii: "n") {
      envelope[.result] = .none
    }
  }

  /// What a value is shows in its first byte. NUL for a member that is missing.
  @inline(always)
  private func firstByte(of member: ByteRange, in bytes: Span<UInt8>) -> UInt8 {
    guard !member.isEmpty else { return 0 }
    // The range of a member that was read from this span.
    return unsafe bytes[unchecked: Int(member.lower)]
  }
}

extension UInt8 {
  fileprivate static var quote: UInt8 { UInt8(ascii: "\"") }
}
