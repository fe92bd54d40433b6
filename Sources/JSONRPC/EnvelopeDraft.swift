/// Judges an envelope once all of its members are known; beside them it needs what no envelope keeps.
struct EnvelopeDraft {
  private var version = ByteRange.none
  private var hasDuplicate = false

  @inline(always)
  mutating func add(_ member: EnvelopeMember, _ value: ByteRange, to envelope: inout Envelope) {
    let isNew =
      switch member {
      case .jsonrpc: version.setOnce(value)
      case .id: envelope.id.setOnce(value)
      case .method: envelope.method.setOnce(value)
      case .params: envelope.params.setOnce(value)
      case .task: envelope.task.setOnce(value)
      case .result: envelope.result.setOnce(value)
      case .error: envelope.error.setOnce(value)
      }
    if !isNew { hasDuplicate = true }
  }

  /// Completes the envelope of a message; of any other it leaves what an answer needs.
  @inline(always)
  func judge(
    _ envelope: inout Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> ScanOutcome {
    envelope.isNotification = envelope.id.isEmpty && kind(of: envelope.method, in: bytes) == .string
    let idFault = idFault(envelope, in: bytes, limits)
    let fault = hasDuplicate ? .duplicateMember : idFault ?? contentFault(envelope, in: bytes, limits)
    guard let fault else {
      if kind(of: envelope.params, in: bytes) == .null { envelope.params = .none }
      envelope.methodHasEscapes = JSONString.hasEscapes(envelope.method, in: bytes)
      return .message
    }
    envelope = Envelope(id: idFault == nil ? envelope.id : .none, isNotification: envelope.isNotification)
    return .invalid(fault)
  }

  @inline(always)
  private func idFault(
    _ envelope: Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> EnvelopeFault? {
    switch kind(of: envelope.id, in: bytes) {
    case .string, .number, .null:
      envelope.id.count <= limits.idBytes ? nil : .idTooLong(limitBytes: limits.idBytes)
    case .true, .false, .array, .object: .invalidID
    case nil: nil
    }
  }

  @inline(always)
  private func contentFault(
    _ envelope: Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> EnvelopeFault? {
    if envelope.method.isEmpty && !envelope.isResponse { return .noMethod }
    if version.isEmpty { return .missingVersion }
    guard kind(of: version, in: bytes) == .string, JSONString.equals(version, in: bytes, "2.0") else {
      return .wrongVersion
    }
    return envelope.isResponse
      ? responseFault(envelope, in: bytes) : requestFault(envelope, in: bytes, limits)
  }

  @inline(always)
  private func requestFault(
    _ envelope: Envelope, in bytes: Span<UInt8>, _ limits: ScanLimits
  ) -> EnvelopeFault? {
    guard kind(of: envelope.method, in: bytes) == .string else { return .methodNotAString }
    let quotes = 2
    guard envelope.method.count - quotes <= limits.methodBytes else {
      return .methodTooLong(limitBytes: limits.methodBytes)
    }
    switch kind(of: envelope.params, in: bytes) {
    case .array, .object, .null, nil: break
    case .string, .number, .true, .false: return .paramsNotStructured
    }
    let task = kind(of: envelope.task, in: bytes)
    return task == nil || task == .object ? nil : .taskNotAnObject
  }

  private func responseFault(_ envelope: Envelope, in bytes: Span<UInt8>) -> EnvelopeFault? {
    guard envelope.result.isEmpty || envelope.error.isEmpty else { return .resultAndError }
    guard envelope.error.isEmpty || kind(of: envelope.error, in: bytes) == .object else {
      return .errorNotAnObject
    }
    return envelope.id.isEmpty ? .responseWithoutID : nil
  }

  /// Nil for a member that is missing.
  @inline(always)
  private func kind(of member: ByteRange, in bytes: Span<UInt8>) -> ValueKind? {
    guard !member.isEmpty else { return nil }
    // The range of a member that was read from this span.
    return ValueKind(firstByte: unsafe bytes[unchecked: Int(member.lower)])
  }
}

extension ByteRange {
  /// False when this has been set already: no value is empty.
  @inline(always)
  fileprivate mutating func setOnce(_ value: ByteRange) -> Bool {
    guard isEmpty else { return false }
    self = value
    return true
  }
}
