/// Gathers the members of one envelope while its text is read, and judges them when all are known.
struct EnvelopeDraft {
  private var found = Envelope()
  private var version = ByteRange.none
  private var hasDuplicate = false

  @inline(__always)
  mutating func add(_ member: EnvelopeMember, _ value: ByteRange) {
    let isNew =
      switch member {
      case .jsonrpc: version.setOnce(value)
      case .id: found.id.setOnce(value)
      case .method: found.method.setOnce(value)
      case .params: found.params.setOnce(value)
      case .task: found.task.setOnce(value)
      case .result: found.result.setOnce(value)
      case .error: found.error.setOnce(value)
      }
    if !isNew { hasDuplicate = true }
  }

  /// Fills `envelope` in with what was found if that is a message, otherwise with what an answer needs.
  mutating func judge(into envelope: inout Envelope, in bytes: Span<UInt8>) -> ScanOutcome {
    found.isNotification = found.id.isEmpty && kind(of: found.method, in: bytes) == .string
    let idFault = idFault(in: bytes)
    let fault = hasDuplicate ? .duplicateMember : idFault ?? contentFault(in: bytes)
    guard let fault else {
      finish(in: bytes)
      envelope = found
      return .message
    }
    envelope = Envelope()
    envelope.isNotification = found.isNotification
    if idFault == nil { envelope.id = found.id }
    return .invalid(fault)
  }

  private mutating func finish(in bytes: Span<UInt8>) {
    if kind(of: found.params, in: bytes) == .null { found.params = .none }
    found.methodHasEscapes = JSONString.hasEscapes(found.method, in: bytes)
  }

  private func idFault(in bytes: Span<UInt8>) -> EnvelopeFault? {
    switch kind(of: found.id, in: bytes) {
    case .string, .number, .null: found.id.count <= WireLimits.idBytes ? nil : .idTooLong
    case .true, .false, .array, .object: .invalidID
    case nil: nil
    }
  }

  private func contentFault(in bytes: Span<UInt8>) -> EnvelopeFault? {
    if found.method.isEmpty && !found.isResponse { return .noMethod }
    if version.isEmpty { return .missingVersion }
    guard kind(of: version, in: bytes) == .string, JSONString.equals(version, in: bytes, "2.0") else {
      return .wrongVersion
    }
    return found.isResponse ? responseFault(in: bytes) : requestFault(in: bytes)
  }

  private func requestFault(in bytes: Span<UInt8>) -> EnvelopeFault? {
    guard kind(of: found.method, in: bytes) == .string else { return .methodNotAString }
    let quotes = 2
    guard found.method.count - quotes <= WireLimits.methodBytes else { return .methodTooLong }
    switch kind(of: found.params, in: bytes) {
    case .array, .object, .null, nil: break
    case .string, .number, .true, .false: return .paramsNotStructured
    }
    let task = kind(of: found.task, in: bytes)
    return task == nil || task == .object ? nil : .taskNotAnObject
  }

  private func responseFault(in bytes: Span<UInt8>) -> EnvelopeFault? {
    guard found.result.isEmpty || found.error.isEmpty else { return .resultAndError }
    guard found.error.isEmpty || kind(of: found.error, in: bytes) == .object else { return .errorNotAnObject }
    return found.id.isEmpty ? .responseWithoutID : nil
  }

  /// Nil for a member that is missing.
  @inline(__always)
  private func kind(of member: ByteRange, in bytes: Span<UInt8>) -> ValueKind? {
    guard !member.isEmpty else { return nil }
    // The range of a member that was read from this span.
    return ValueKind(firstByte: unsafe bytes[unchecked: Int(member.lower)])
  }
}

extension ByteRange {
  /// False when this has been set already: no value is empty.
  @inline(__always)
  fileprivate mutating func setOnce(_ value: ByteRange) -> Bool {
    guard isEmpty else { return false }
    self = value
    return true
  }
}
