package import GatewayCore
package import TaskStore

/// A request or notification for upstream, as a client may send it; its number names it in a history.
package struct Request: Hashable, Sendable {
  package var number: Int
  /// Requests of one ask have the same method and params: the number of the first of them.
  package var ask: Int
  package var form: UInt8 = 0
  /// The number in its id: another's when it uses an id that is taken.
  package var idNumber: Int
  package var idForm: UInt8 = 0
  /// An index into the keys; -1: none.
  package var key: Int8 = -1
  package var hasEscapedKey = false
  package var isNotification = false
  /// It goes inside a `lastword.call`.
  package var isWrapped = false
  /// What is nil is not said.
  package var policy: DuplicatePolicy?
  package var group: Int?
  package var trace: Int?
  package var scope: ListenerOptions.Scope?
  package var join: JoinRule?
  package var debounceMilliseconds: UInt32?
  package var maxWaitMilliseconds: UInt32?
  package var maxStaleMilliseconds: UInt32?
  package var timeoutMilliseconds: UInt32?
  package var drainMilliseconds: UInt32?
  package var order: UInt64?
  package var superseded: SupersededRule?
  /// It takes its answer in pieces.
  package var streams = false
  package var pieceIdleMilliseconds: UInt32?

  /// Upstream may report progress of it.
  var hasToken: Bool { Spelling.asks[Int(form)].token != nil }

  init(number: Int) {
    self.number = number
    ask = number
    idNumber = number
  }

  var saidPolicy: DuplicatePolicy { policy ?? .cancel }
  /// It says what goes with a key only.
  var needsKey: Bool {
    policy != nil || join != nil || scope != nil || debounceMilliseconds != nil || maxStaleMilliseconds != nil
      || order != nil || superseded != nil
  }
  /// Nobody can tell by its id which request of its connection it is.
  var isTwin: Bool { idNumber != number || Int(idForm) == Spelling.nullID }

  func appendID(to bytes: inout [UInt8], isRespelt: Bool = false) {
    let other = isRespelt ? Spelling.otherSpellings[Int(idForm)] : nil
    (other ?? Spelling.ids[Int(idForm)]).append(idNumber, to: &bytes)
  }

  func appendLine(to bytes: inout [UInt8]) {
    bytes.append(#"{"jsonrpc":"2.0","#)
    if !isNotification {
      bytes.append(#""id":"#)
      appendID(to: &bytes)
      bytes.append(",")
    }
    bytes.append(#""method":"#)
    if isWrapped { bytes.append(#""lastword.call","params":{"method":"#) }
    Spelling.asks[Int(form)].method.append(ask, to: &bytes)
    appendParams(to: &bytes)
    appendTask(to: &bytes)
    bytes.append(isWrapped ? "}}\n" : "}\n")
  }

  private func appendParams(to bytes: inout [UInt8]) {
    if Int(form) != Spelling.absentParams {
      bytes.append(#","params":"#)
      Spelling.asks[Int(form)].params.append(ask, to: &bytes)
    } else if ask.isMultiple(of: 2) {
      bytes.append(#","params":null"#)
    }
  }

  private func appendTask(to bytes: inout [UInt8]) {
    let start = bytes.count
    if key >= 0 {
      let spelling = Spelling.keys[Int(key)]
      appendMember("key", hasEscapedKey ? spelling.escaped : spelling.plain, to: &bytes)
    }
    if let policy { appendMember("policy", "\"\(policy.name)\"", to: &bytes) }
    if let join { appendMember("join", "\"\(join.name)\"", to: &bytes) }
    if let group { appendMember("group", Spelling.groups[group], to: &bytes) }
    if let trace { appendMember("traceparent", "\"\(Spelling.traces[trace])\"", to: &bytes) }
    if let scope { appendMember("scope", "\"\(scope)\"", to: &bytes) }
    if let debounceMilliseconds { appendMember("debounceMs", debounceMilliseconds, to: &bytes) }
    if let maxWaitMilliseconds { appendMember("maxWaitMs", maxWaitMilliseconds, to: &bytes) }
    if let maxStaleMilliseconds { appendMember("maxStaleMs", maxStaleMilliseconds, to: &bytes) }
    if let timeoutMilliseconds { appendMember("timeoutMs", timeoutMilliseconds, to: &bytes) }
    if let drainMilliseconds { appendMember("drainMs", drainMilliseconds, to: &bytes) }
    if let superseded { appendMember("superseded", "\"\(superseded.name)\"", to: &bytes) }
    if streams { appendMember("stream", "true", to: &bytes) }
    if let pieceIdleMilliseconds { appendMember("pieceIdleMs", pieceIdleMilliseconds, to: &bytes) }
    if let order { appendMember("order", "\(order)", to: &bytes) }
    guard bytes.count > start else { return }
    bytes[start] = UInt8(ascii: "{")
    bytes.insert(contentsOf: #","task":"#.utf8, at: start)
    bytes.append("}")
  }

  private func appendMember(_ name: String, _ value: UInt32, to bytes: inout [UInt8]) {
    appendMember(name, "", to: &bytes)
    bytes.append(digitsOf: Int(value))
  }

  private func appendMember(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    bytes.append(",\"")
    bytes.append(name)
    bytes.append("\":")
    bytes.append(value)
  }
}
