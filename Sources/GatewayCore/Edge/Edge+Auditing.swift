import HotData
import Identity
import JSONRPC

/// Notes events for the audit trail.
extension Edge {
  var isAudited: Bool { audit.isOpen }
  mutating func audit(_ isOpen: Bool) { audit.isOpen = isOpen }
  var hasAuditEvents: Bool { !audit.isEmpty }

  mutating func takeAuditEvents() -> (events: [AuditEvent], leftOut: UInt64) {
    hasNews = hasRefusedNotifications
    defer { audit.removeAll() }
    return (audit.events, audit.leftOutCount)
  }

  /// Whether there are events, or refused notifications, that nobody has been told of.
  @inline(__always)
  var isToBeHeard: Bool { hasNews }

  @inline(never)
  mutating func note(_ kind: AuditEvent.Kind, of client: Int) {
    guard audit.isOpen else { return }
    let event = AuditEvent(
      kind: kind, client: ClientID(slot: client), connection: clients[client].number,
      listener: clients[client].listenerNumber, principal: name(of: client))
    note(event)
  }

  private mutating func note(_ event: AuditEvent) {
    if audit.hasNoted(event, at: nowMilliseconds) { hasNews = true }
  }

  /// A connection was refused as it came: of a principal, where that has as many as it may.
  mutating func noteRefused(for listener: Int, _ credential: Credential?) {
    guard audit.isOpen else { return }
    let principal = principal(options(ofListener: listener), credential)
    guard isFull(principal) else { return }
    let event = AuditEvent(
      kind: .overQuota(reason: Overload.tooManyConnections.error.message), client: nil, connection: nil,
      listener: listener, principal: name(ofPrincipal: principal.number))
    note(event)
  }

  func text(ofKey label: Label, in bytes: Span<UInt8>) -> [UInt8] { text(of: label, targets.keys, in: bytes) }
  func text(ofGroup label: Label, in bytes: Span<UInt8>) -> [UInt8] {
    text(of: label, targets.groups, in: bytes)
  }

  private func text(of label: Label, _ reader: LabelReader, in bytes: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    _ = reader.withBytes(of: label, in: bytes) { text.append($0, 0..<$0.count) }
    return text
  }

  /// Nil of nobody in particular.
  func name(of client: Int) -> String? { directory.options(of: clients[client].principal)?.name }
}
