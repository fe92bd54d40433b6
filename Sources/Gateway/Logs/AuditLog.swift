import Addresses
import GatewayCore
import Glibc
import Identity
package import LibUV
import Logging

/// Owns the file of the audit log, which records what clients did: a JSON object a line, in the form of the log.
///
/// A program may read along, or move the file and have it opened anew by a reload, without a word to the gateway.
package final class AuditLog {
  private let sink: LogSink
  private let log: Logger
  private let descriptor: Int32
  /// Where clients are, by their slot: one that is gone is still told of.
  private var addresses: [Int: (number: UInt64, address: String)] = [:]

  /// Opens it, or makes it for its owner alone.
  package init(path: String) throws(UVError) {
    // Nobody may read a pipe: that must not hold up the start.
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
    descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { throw UVError(code: -errno) }
    let sink = LogSink(descriptor: descriptor, level: .trace, form: .json)
    self.sink = sink
    log = Logger(label: "lastword.audit") { _ in SinkLogHandler(sink) }
  }

  deinit { close(descriptor) }

  /// Lines that nobody took, or that the disk had no room for.
  package var droppedLineCount: Int { sink.droppedLineCount }

  func note(_ address: String?, of client: ClientID, number: UInt64) {
    addresses[client.slot] = address.map { (number, $0) }
  }

  /// It is told of the same clients from now on, and of what the other one could not write.
  func takeOver(from other: AuditLog) {
    addresses = other.addresses
    sink.takeDropped(of: other.sink)
  }

  func write(_ event: AuditEvent, listener: String) {
    var fields: Logger.Metadata = ["listener": "\(listener)"]
    if let client = event.client, let connection = event.connection {
      fields["connection"] = .stringConvertible(connection)
      if let known = addresses[client.slot], known.number == connection {
        fields["address"] = "\(known.address)"
      }
    }
    if let principal = event.principal { fields["principal"] = "\(principal)" }
    let name: String
    switch event.kind {
    case .authenticated: name = "authenticated"
    case .authenticationFailed(let fault):
      (name, fields["reason"]) = ("authentication failed", "\(fault.word)")
    case .unauthenticated: name = "unauthenticated"
    case .forbidden(let reason): (name, fields["reason"]) = ("forbidden", "\(reason)")
    case .overQuota(let reason): (name, fields["reason"]) = ("over quota", "\(reason)")
    case .cancelled(let label, let isKey, let count):
      (name, fields["count"]) = ("cancelled", .stringConvertible(count))
      fields[isKey ? "key" : "group"] = "\(String(decoding: label, as: UTF8.self))"
    case .revoked(let reason): (name, fields["reason"]) = ("revoked", "\(reason)")
    case .evicted: name = "evicted"
    }
    log.notice("\(name)", metadata: fields)
  }

  func writeLeftOut(_ count: UInt64) {
    log.warning("more happened than is noted", metadata: ["events": .stringConvertible(count)])
  }
}

@available(*, unavailable)
extension AuditLog: Sendable {}

extension GatewayServer {
  func writeAudit() {
    let (events, leftOut) = core.takeAuditEvents()
    for event in events { audit?.write(event, listener: name(ofListener: event.listener)) }
    if leftOut > 0 { audit?.writeLeftOut(leftOut) }
  }

  /// One that comes by standard input has none.
  func name(ofListener number: Int) -> String {
    addresses.indices.contains(number) ? "\(addresses[number])" : "stdio"
  }

  /// Goes on in another file, or in the same one opened anew.
  package func keep(audit next: AuditLog?) {
    if let audit, let next { next.takeOver(from: audit) }
    audit = next
  }
}
